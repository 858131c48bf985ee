// ---------------------------------------------------------------------------------------------------
// Hosts: a table under a readers-writer lock, and in every host a queue under a mutex
// ---------------------------------------------------------------------------------------------------

#define HOSTS 256
#define MOST_QUEUED 10000
#define MOST_ERRORS 5
#define END_OF_TIME 2000000000
#define IS_HOST(h) ((h) != 0 && \length(h) >= 1)

// A link that waits at its host. It is complete before others see it and never changes again, so it is
// read without a lock. Links stay for as long as the crawler runs: they are its record of what it found.
struct link {
    int name;
    int depth;
    struct link *next;
};
/*@ env_assumption \forall struct link *l; l->name' == l->name;
    env_assumption \forall struct link *l; l->depth' == l->depth;
    env_assumption \forall struct link *l; l->next' == l->next;
    global_invariant \forall struct link *l; l->name >= 0 && l->depth >= 0; */

struct rwlock table_lock = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

struct host {
    pthread_mutex_t lock;
    int number;         //@ unwritable_by_env_if table_lock.writer == \tid;
    int next_visit;     //@ unwritable_by_env_if \holder(lock) == \tid;
    int visits;         //@ unwritable_by_env_if \holder(lock) == \tid;
    int errors;         //@ unwritable_by_env_if \holder(lock) == \tid;
    int queued;         //@ unwritable_by_env_if \holder(lock) == \tid;
    struct link *queue; //@ unwritable_by_env_if \holder(lock) == \tid;
};

struct host hosts[HOSTS];
int known_hosts; //@ unwritable_by_env_if table_lock.writer == \tid;

/*@ global_invariant 0 <= known_hosts && known_hosts <= HOSTS;
    env_assumption known_hosts <= known_hosts';
    global_invariant \forall struct host *h; 0 <= h->queued && h->queued <= MOST_QUEUED;
    global_invariant \forall struct host *h; 0 <= h->errors && h->errors <= MOST_ERRORS;
    global_invariant \forall struct host *h; 0 <= h->visits && h->visits <= MOST_COUNTED;
    global_invariant \forall struct host *h; 0 <= h->next_visit && h->next_visit <= END_OF_TIME; */

// The place of a host in the table; -1 if it is not there.
/*@ ensures -1 <= \result && \result < known_hosts; */
int find_host(int number)
{
    int count = known_hosts;
    //@ loop invariant 0 <= i && count <= known_hosts;
    for (int i = 0; i < count; i++)
        if (hosts[i].number == number)
            return i;
    return -1;
}

// Enters a host that is not in the table; its place, or -1 if the table is full.
/*@ requires table_lock.writer == \tid;
    modifies known_hosts, \forall struct host *h; h->number;
    ensures -1 <= \result && \result < known_hosts; */
int add_host(int number)
{
    int place = known_hosts;
    if (place >= HOSTS)
        return -1;
    hosts[place].number = number;
    known_hosts = place + 1;
    return place;
}

// The place of a host, which is entered if it is new; -1 if the table is full.
/*@ modifies table_lock.guard, table_lock.readers, table_lock.writer,
              known_hosts, \forall struct host *h; h->number;
    ensures -1 <= \result && \result < known_hosts; */
int place_of_host(int number)
{
    begin_read(&table_lock);
    int place = find_host(number);
    end_read(&table_lock);
    if (place < 0) {
        begin_write(&table_lock);
        place = find_host(number);
        if (place < 0)
            place = add_host(number);
        end_write(&table_lock);
    }
    return place;
}

// How many hosts there are.
/*@ modifies table_lock.guard, table_lock.readers;
    ensures 0 <= \result && \result <= known_hosts; */
int count_hosts(void)
{
    begin_read(&table_lock);
    int count = known_hosts;
    end_read(&table_lock);
    return count;
}

/*@ requires 0 <= place && place < known_hosts;
    ensures IS_HOST(\result) && \result == &hosts[place]; */
struct host *host_at(int place)
{
    return &hosts[place];
}

// Puts a link into the queue of a host; whether there was room.
/*@ requires IS_HOST(h) && name >= 0 && depth >= 0;
    modifies h->lock, h->queue, h->queued; */
int queue_link(struct host *h, int name, int depth)
{
    struct link *l = calloc(1, sizeof *l);
    if (l == 0)
        return 0;
    l->name = name;
    l->depth = depth;
    pthread_mutex_lock(&h->lock);
    int room = h->queued < MOST_QUEUED;
    if (room) {
        l->next = h->queue;
        h->queue = l;
        h->queued = h->queued + 1;
    }
    pthread_mutex_unlock(&h->lock);
    return room;
}

// Takes the last link from the queue of a host; 0 if there is none.
/*@ requires IS_HOST(h);
    modifies h->lock, h->queue, h->queued; */
struct link *unqueue_link(struct host *h)
{
    pthread_mutex_lock(&h->lock);
    struct link *l = h->queue;
    if (l != 0) {
        h->queue = l->next;
        if (h->queued > 0)
            h->queued = h->queued - 1;
    }
    pthread_mutex_unlock(&h->lock);
    return l;
}

// Politeness: a host is visited only if the last visit is long enough ago.
/*@ requires IS_HOST(h) && configured && 0 <= now && now <= 1000000000;
    modifies h->lock, h->next_visit, h->visits; */
int may_visit(struct host *h, int now)
{
    pthread_mutex_lock(&h->lock);
    int polite = now >= h->next_visit;
    if (polite) {
        h->next_visit = now + delay;
        h->visits = plus(h->visits, 1);
    }
    pthread_mutex_unlock(&h->lock);
    return polite;
}

// Remembers that a visit failed; the next one has to wait longer.
/*@ requires IS_HOST(h);
    modifies h->lock, h->errors, h->next_visit; */
void note_error(struct host *h)
{
    pthread_mutex_lock(&h->lock);
    if (h->errors < MOST_ERRORS) {
        h->errors = h->errors + 1;
        if (h->next_visit < END_OF_TIME - 60)
            h->next_visit = h->next_visit + 60;
    }
    pthread_mutex_unlock(&h->lock);
}

// Forgives a host that answers again.
/*@ requires IS_HOST(h);
    modifies h->lock, h->errors; */
void note_answer(struct host *h)
{
#ifdef BUG_WRONG_LOCK
    pthread_mutex_lock(&statistics);
    h->errors = 0;
    pthread_mutex_unlock(&statistics);
#else
    pthread_mutex_lock(&h->lock);
    h->errors = 0;
    pthread_mutex_unlock(&h->lock);
#endif
}

// Whether a host has failed too often.
/*@ requires IS_HOST(h) && configured;
    modifies h->lock; */
int is_given_up(struct host *h)
{
    pthread_mutex_lock(&h->lock);
    int given_up = h->errors >= MOST_ERRORS || h->errors > retries;
    pthread_mutex_unlock(&h->lock);
    return given_up;
}

// How many links wait at all hosts together, as far as that is counted.
/*@ modifies table_lock.guard, table_lock.readers, \forall struct host *h; h->lock;
    ensures \result >= 0; */
int count_queued(void)
{
    int count = count_hosts();
    int all = 0;
    //@ loop invariant 0 <= i && 0 <= all && count <= known_hosts;
    for (int i = 0; i < count; i++) {
        struct host *h = &hosts[i];
        pthread_mutex_lock(&h->lock);
        all = plus(all, h->queued);
        pthread_mutex_unlock(&h->lock);
    }
    return all;
}
