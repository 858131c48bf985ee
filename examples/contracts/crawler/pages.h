// ---------------------------------------------------------------------------------------------------
// The store of pages: who has claimed a page may write it without a lock
// ---------------------------------------------------------------------------------------------------

#define PAGES 64
#define MOST_BYTES 65536
#define EMPTY 0
#define CLAIMED 1
#define READY 2

struct page {
    int state;       //@ unwritable_by_env_if \holder(store) == \tid;
    pthread_t owner; //@ unwritable_by_env_if \holder(store) == \tid;
    int name;        //@ unwritable_by_env_if owner == \tid;
    int size;        //@ unwritable_by_env_if owner == \tid;
    int sum;         //@ unwritable_by_env_if owner == \tid;
};

pthread_mutex_t store = PTHREAD_MUTEX_INITIALIZER;
struct page pages[PAGES];
int claims; //@ unwritable_by_env_if \holder(store) == \tid;
int losses; //@ unwritable_by_env_if \holder(store) == \tid;

// Nobody else makes a thread the owner of a page, or takes one away from it.
/*@ env_assumption \forall struct page *p; p->owner == \tid <==> p->owner' == \tid;
    global_invariant \forall struct page *p; p->owner != 0 ==> p->state == CLAIMED;
    global_invariant \forall struct page *p; EMPTY <= p->state && p->state <= READY;
    global_invariant \forall struct page *p; 0 <= p->size && p->size <= MOST_BYTES;
    global_invariant 0 <= claims && claims <= MOST_COUNTED;
    global_invariant 0 <= losses && losses <= MOST_COUNTED; */

// Claims a page in some state for this thread; -1 if there is none.
/*@ requires state == EMPTY || state == READY;
    modifies store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner;
    ensures -1 <= \result && \result < PAGES;
    ensures \result >= 0 ==> pages[\result].owner == \tid; */
int claim_page(int state)
{
    int found = -1;
    pthread_mutex_lock(&store);
    //@ loop invariant 0 <= i && found == -1 && \holder(store) == \tid;
    for (int i = 0; i < PAGES; i++)
        if (pages[i].state == state && pages[i].owner == 0) {
            found = i;
            break;
        }
    if (found >= 0) {
        pages[found].state = CLAIMED;
        pages[found].owner = pthread_self();
        claims = plus(claims, 1);
    } else {
        losses = plus(losses, 1);
    }
    pthread_mutex_unlock(&store);
    return found;
}

// Gives a page of this thread away, with the state that it has from now on.
/*@ requires 0 <= place && place < PAGES && pages[place].owner == \tid;
    requires state == EMPTY || state == READY;
    modifies store, pages[place].owner, pages[place].state; */
void release_page(int place, int state)
{
    pthread_mutex_lock(&store);
    pages[place].owner = 0;
    pages[place].state = state;
    pthread_mutex_unlock(&store);
}

// Writes what was fetched into a page of this thread.
/*@ requires 0 <= place && place < PAGES && pages[place].owner == \tid;
    requires 0 <= size && size <= MOST_BYTES;
    modifies pages[place].name, pages[place].size, pages[place].sum; */
void fill_page(int place, int name, int size, int sum)
{
    struct page *p = &pages[place];
    p->name = name;
    p->size = size;
    p->sum = sum;
    assert(p->name == name && p->size == size && p->sum == sum);
}

// Keeps what was fetched; whether there was an empty page.
/*@ requires 0 <= size && size <= MOST_BYTES;
    modifies store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner,
             \forall struct page *p; p->name, \forall struct page *p; p->size, \forall struct page *p; p->sum; */
int keep_page(int name, int size, int sum)
{
    int place = claim_page(EMPTY);
    if (place < 0)
        return 0;
#ifdef BUG_ORDER
    release_page(place, READY);
    fill_page(place, name, size, sum);
#else
    fill_page(place, name, size, sum);
    release_page(place, READY);
#endif
    return 1;
}

// ---------------------------------------------------------------------------------------------------
// The disk: records that the background thread writes and keeps in order
// ---------------------------------------------------------------------------------------------------

#define RECORDS 1024

pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
int records;               //@ unwritable_by_env_if \holder(disk) == \tid;
int moves;                 //@ unwritable_by_env_if \holder(disk) == \tid;
int record_name[RECORDS];  //@ unwritable_by_env_if \holder(disk) == \tid;
int record_size[RECORDS];  //@ unwritable_by_env_if \holder(disk) == \tid;
int record_sum[RECORDS];   //@ unwritable_by_env_if \holder(disk) == \tid;

/*@ global_invariant 0 <= records && records <= RECORDS;
    global_invariant 0 <= moves && moves <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < RECORDS ==> 0 <= record_size[i] && record_size[i] <= MOST_BYTES; */

// Writes one record behind the last; whether there was room.
/*@ requires 0 <= size && size <= MOST_BYTES;
    modifies disk, records, record_name, record_size, record_sum; */
int append_record(int name, int size, int sum)
{
    pthread_mutex_lock(&disk);
    int place = records;
    int room = place < RECORDS;
    if (room) {
        record_name[place] = name;
        record_size[place] = size;
        record_sum[place] = sum;
        records = place + 1;
    }
    pthread_mutex_unlock(&disk);
    return room;
}

// Exchanges two records that follow each other.
/*@ requires \holder(disk) == \tid && 0 <= place && place + 1 < RECORDS && place < 100000;
    modifies record_name, record_size, record_sum; */
void swap_records(int place)
{
    int next = place + 1;
    int name = record_name[place];
    int size = record_size[place];
    int sum = record_sum[place];
    record_name[place] = record_name[next];
    record_size[place] = record_size[next];
    record_sum[place] = record_sum[next];
    record_name[next] = name;
    record_size[next] = size;
    record_sum[next] = sum;
}

// One pass over the records that moves those with large names towards the end; whether one was moved.
/*@ modifies disk, moves, record_name, record_size, record_sum; */
int order_records(void)
{
    int moved = 0;
    pthread_mutex_lock(&disk);
    //@ loop invariant 0 <= i && \holder(disk) == \tid;
    for (int i = 0; i + 1 < records; i++) {
        if (record_name[i] > record_name[i + 1]) {
            swap_records(i);
            moved = 1;
        }
    }
    if (moved)
        moves = plus(moves, 1);
    pthread_mutex_unlock(&disk);
    return moved;
}

// Removes the last record if another has the same sum; whether it did.
/*@ modifies disk, records; */
int drop_double(void)
{
    int found = 0;
    pthread_mutex_lock(&disk);
    int last = records - 1;
    //@ loop invariant 0 <= i && \holder(disk) == \tid && last == records - 1;
    for (int i = 0; i < last; i++)
        if (record_sum[i] == record_sum[last] && record_size[i] == record_size[last]) {
            found = 1;
            break;
        }
    if (found)
        records = last;
    pthread_mutex_unlock(&disk);
    return found;
}

// The bytes that all records have together, as far as that is counted.
/*@ modifies disk;
    ensures \result >= 0; */
int bytes_on_disk(void)
{
    int all = 0;
    pthread_mutex_lock(&disk);
    //@ loop invariant 0 <= i && 0 <= all && \holder(disk) == \tid;
    for (int i = 0; i < records; i++)
        all = plus(all, record_size[i]);
    pthread_mutex_unlock(&disk);
    return all;
}

// Writes a page that is ready to the disk; whether there was one.
/*@ modifies store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner,
             disk, records, record_name, record_size, record_sum; */
int flush_page(void)
{
    int place = claim_page(READY);
    if (place < 0)
        return 0;
    struct page *p = &pages[place];
    int written = append_record(p->name, p->size, p->sum);
    release_page(place, written ? EMPTY : READY);
    return written;
}
