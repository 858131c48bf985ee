// A web crawler in the manner of Mercator, the program of section 7.2 of "Modular verification of
// multithreaded programs". Workers take addresses from a frontier, fetch pages, keep them in a store and
// put the links that they find back into the frontier. A background thread writes finished pages to the
// disk and keeps the store in order. Two readers-writer locks protect the table of hosts and the set of
// fingerprints of addresses that were seen; smaller things have mutexes.
//
//     selvedge contracts --property assert,memory examples/contracts/crawler.c
//
// With one of these macros it has a mistake that is found:
//
//     -DBUG_EARLY_UNLOCK     the frontier is used after its lock is released
//     -DBUG_READ_LOCK        the set of fingerprints is written under the lock for readers
//     -DBUG_WRONG_LOCK       a member of a host is written under the lock of the statistics
//     -DBUG_NO_LOCK          a counter is incremented without a lock
//     -DBUG_ORDER            a page is given away before its content is complete
//     -DBUG_BOUNDS           the last event of a full log is written behind its end

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

// ---------------------------------------------------------------------------------------------------
// Readers-writer locks
// ---------------------------------------------------------------------------------------------------

#define MOST_READERS 1000

// What a lock protects is written by its writer only.
struct rwlock {
    pthread_mutex_t guard;
    pthread_t writer; //@ unwritable_by_env_if \holder(guard) == \tid || writer == \tid;
    int readers;      //@ unwritable_by_env_if \holder(guard) == \tid;
};

/*@ global_invariant \forall struct rwlock *l; 0 <= l->readers && l->readers <= MOST_READERS;
    global_invariant \forall struct rwlock *l; l->writer != 0 ==> l->readers == 0; */

// Waits until nobody reads or writes, and becomes the writer.
/*@ requires l != 0;
    modifies l->guard;
    action: also_modifies l->writer; ensures l->writer == 0 && l->readers == 0 && l->writer' == \tid; */
void begin_write(struct rwlock *l)
{
    int done = 0;
    while (!done) {
        pthread_mutex_lock(&l->guard);
        if (l->writer == 0 && l->readers == 0) {
            l->writer = pthread_self();
            done = 1;
        }
        pthread_mutex_unlock(&l->guard);
    }
}

/*@ requires l != 0 && l->writer == \tid;
    modifies l->guard;
    action: also_modifies l->writer; ensures l->writer == \tid && l->writer' == 0; */
void end_write(struct rwlock *l)
{
    pthread_mutex_lock(&l->guard);
    l->writer = 0;
    pthread_mutex_unlock(&l->guard);
}

// Waits until nobody writes, and becomes one reader more.
/*@ requires l != 0;
    modifies l->guard;
    action: also_modifies l->readers; ensures l->writer == 0 && l->readers' == l->readers + 1; */
void begin_read(struct rwlock *l)
{
    int done = 0;
    while (!done) {
        pthread_mutex_lock(&l->guard);
        if (l->writer == 0 && l->readers < MOST_READERS) {
            l->readers = l->readers + 1;
            done = 1;
        }
        pthread_mutex_unlock(&l->guard);
    }
}

/*@ requires l != 0;
    modifies l->guard;
    action: also_modifies l->readers; ensures l->readers == 0 || l->readers' == l->readers - 1; */
void end_read(struct rwlock *l)
{
    pthread_mutex_lock(&l->guard);
    l->readers = l->readers > 0 ? l->readers - 1 : 0;
    pthread_mutex_unlock(&l->guard);
}

// ---------------------------------------------------------------------------------------------------
// Configuration: set by the first thread, and fixed from then on
// ---------------------------------------------------------------------------------------------------

int configured; //@ unwritable_by_env_if \tid == \main || configured;
int most_depth; //@ unwritable_by_env_if \tid == \main || configured;
int most_pages; //@ unwritable_by_env_if \tid == \main || configured;
int delay;      //@ unwritable_by_env_if \tid == \main || configured;
int retries;    //@ unwritable_by_env_if \tid == \main || configured;

/*@ global_invariant configured ==> 0 < most_depth && most_depth <= 100;
    global_invariant configured ==> 0 < most_pages && most_pages <= 1000000;
    global_invariant configured ==> 0 <= delay && delay <= 3600;
    global_invariant configured ==> 0 <= retries && retries <= 10; */

// The value, or the nearest that is allowed.
int within(int value, int least, int most)
{
    if (value < least)
        return least;
    if (value > most)
        return most;
    return value;
}

/*@ requires \tid == \main && !configured;
    modifies most_depth, most_pages, delay, retries;
    action: also_modifies configured; ensures configured' == 1; */
void configure(int depth, int pages, int seconds, int attempts)
{
    most_depth = within(depth, 1, 100);
    most_pages = within(pages, 1, 1000000);
    delay = within(seconds, 0, 3600);
    retries = within(attempts, 0, 10);
    configured = 1;
}

// ---------------------------------------------------------------------------------------------------
// Statistics
// ---------------------------------------------------------------------------------------------------

#define MOST_COUNTED 1000000000

pthread_mutex_t statistics = PTHREAD_MUTEX_INITIALIZER;
int fetched;    //@ unwritable_by_env_if \holder(statistics) == \tid;
int failed;     //@ unwritable_by_env_if \holder(statistics) == \tid;
int duplicates; //@ unwritable_by_env_if \holder(statistics) == \tid;
int links;      //@ unwritable_by_env_if \holder(statistics) == \tid;
int bytes;      //@ unwritable_by_env_if \holder(statistics) == \tid;

/*@ global_invariant 0 <= fetched && fetched <= MOST_COUNTED;
    global_invariant 0 <= failed && failed <= MOST_COUNTED;
    global_invariant 0 <= duplicates && duplicates <= MOST_COUNTED;
    global_invariant 0 <= links && links <= MOST_COUNTED;
    global_invariant 0 <= bytes && bytes <= MOST_COUNTED;
    env_assumption fetched <= fetched';
    env_assumption failed <= failed'; */

// Adds without passing the largest number that is counted to.
int plus(int count, int more)
{
    if (more < 0)
        return count;
    return count > MOST_COUNTED - more ? MOST_COUNTED : count + more;
}

/*@ requires 0 <= size && size <= MOST_COUNTED;
    modifies statistics, fetched, bytes; */
void count_page(int size)
{
    pthread_mutex_lock(&statistics);
    fetched = plus(fetched, 1);
    bytes = plus(bytes, size);
    pthread_mutex_unlock(&statistics);
}

/*@ modifies statistics, failed; */
void count_failure(void)
{
    pthread_mutex_lock(&statistics);
    failed = plus(failed, 1);
    pthread_mutex_unlock(&statistics);
}

/*@ modifies statistics, duplicates; */
void count_duplicate(void)
{
#ifdef BUG_NO_LOCK
    duplicates = plus(duplicates, 1);
#else
    pthread_mutex_lock(&statistics);
    duplicates = plus(duplicates, 1);
    pthread_mutex_unlock(&statistics);
#endif
}

/*@ requires 0 <= found && found <= MOST_COUNTED;
    modifies statistics, links; */
void count_links(int found)
{
    pthread_mutex_lock(&statistics);
    links = plus(links, found);
    pthread_mutex_unlock(&statistics);
}

// How many attempts of a hundred have failed.
/*@ modifies statistics;
    ensures 0 <= \result && \result <= 100; */
int failure_rate(void)
{
    int rate = 0;
    pthread_mutex_lock(&statistics);
    int bad = failed;
    int all = plus(fetched, bad);
    pthread_mutex_unlock(&statistics);
    //@ loop invariant 0 <= rate && rate <= 100;
    while (rate < 100 && all > 0 && bad > all / 100) {
        bad = bad - all / 100 - 1;
        rate = rate + 1;
    }
    return rate;
}

// Whether as many pages were fetched as there should be.
/*@ requires configured;
    modifies statistics; */
int is_enough(void)
{
    pthread_mutex_lock(&statistics);
    int enough = fetched >= most_pages;
    pthread_mutex_unlock(&statistics);
    return enough;
}

// ---------------------------------------------------------------------------------------------------
// The set of fingerprints: an open hash table under a readers-writer lock
// ---------------------------------------------------------------------------------------------------

#define SLOTS 4096

struct rwlock seen_lock = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
int fingerprints[SLOTS]; //@ unwritable_by_env_if seen_lock.writer == \tid;
int seen;                //@ unwritable_by_env_if seen_lock.writer == \tid;

//@ global_invariant 0 <= seen && seen <= SLOTS;

// The slot where a search for a fingerprint begins.
/*@ ensures 0 <= \result && \result < SLOTS; */
int first_slot(int print)
{
    int slot = print % SLOTS;
    return slot < 0 ? slot + SLOTS : slot;
}

// The slot of a fingerprint, or of the gap where it would be; -1 if the table is full of others.
/*@ requires print != 0;
    ensures -1 <= \result && \result < SLOTS; */
int slot_of(int print)
{
    int slot = first_slot(print);
    //@ loop invariant 0 <= slot && slot < SLOTS;
    for (int tried = 0; tried < SLOTS; tried++) {
        if (fingerprints[slot] == print || fingerprints[slot] == 0)
            return slot;
        slot = slot + 1 < SLOTS ? slot + 1 : 0;
    }
    return -1;
}

/*@ requires print != 0;
    modifies seen_lock.guard, seen_lock.readers; */
int was_seen(int print)
{
    begin_read(&seen_lock);
    int slot = slot_of(print);
    int found = slot < 0 || fingerprints[slot] == print;
    end_read(&seen_lock);
    return found;
}

// Enters a fingerprint; whether it is new. Another thread may have been faster since it was looked for.
/*@ requires print != 0;
    modifies seen_lock.guard, seen_lock.writer, seen_lock.readers, fingerprints, seen; */
int enter(int print)
{
    int new = 0;
#ifdef BUG_READ_LOCK
    begin_read(&seen_lock);
#else
    begin_write(&seen_lock);
#endif
    int slot = slot_of(print);
    if (slot >= 0 && fingerprints[slot] == 0 && seen < SLOTS) {
        fingerprints[slot] = print;
        seen = seen + 1;
        new = 1;
    }
#ifdef BUG_READ_LOCK
    end_read(&seen_lock);
#else
    end_write(&seen_lock);
#endif
    return new;
}

// ---------------------------------------------------------------------------------------------------
// Addresses: a table that only grows, so that entries are read without a lock
// ---------------------------------------------------------------------------------------------------

#define MOST_ADDRESSES 8192

pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;
int addresses; //@ unwritable_by_env_if \holder(naming) == \tid;
int address_host[MOST_ADDRESSES];
int address_path[MOST_ADDRESSES];
int address_print[MOST_ADDRESSES];

// An entry is complete before it is counted, and never changes after that.
/*@ global_invariant 0 <= addresses && addresses <= MOST_ADDRESSES;
    env_assumption addresses <= addresses';
    env_assumption \forall int i; i < addresses || \holder(naming) == \tid ==> address_host[i]' == address_host[i];
    env_assumption \forall int i; i < addresses || \holder(naming) == \tid ==> address_path[i]' == address_path[i];
    env_assumption \forall int i; i < addresses || \holder(naming) == \tid ==> address_print[i]' == address_print[i];
    global_invariant \forall int i; 0 <= i && i < addresses ==> address_host[i] >= 0;
    global_invariant \forall int i; 0 <= i && i < addresses ==> address_path[i] >= 0;
    global_invariant \forall int i; 0 <= i && i < addresses ==> address_print[i] != 0; */

// Mixes two numbers into a fingerprint, which is never 0.
/*@ ensures \result != 0; */
int fingerprint(int host, int path)
{
    unsigned mixed = (unsigned)host * 31u + (unsigned)path;
    mixed = mixed ^ (mixed >> 7);
    int print = (int)(mixed % 1000000007u);
    return print == 0 ? 1 : print;
}

// Gives an address a number; -1 if there are too many.
/*@ requires host >= 0 && path >= 0;
    modifies naming, addresses, address_host, address_path, address_print;
    ensures -1 <= \result && \result < addresses; */
int name_address(int host, int path)
{
    int print = fingerprint(host, path);
    int name = -1;
    pthread_mutex_lock(&naming);
    int next = addresses;
    if (next < MOST_ADDRESSES) {
        address_host[next] = host;
        address_path[next] = path;
        address_print[next] = print;
        addresses = next + 1;
        name = next;
    }
    pthread_mutex_unlock(&naming);
    return name;
}

/*@ requires 0 <= name && name < addresses;
    ensures \result >= 0; */
int host_of(int name)
{
    return address_host[name];
}

/*@ requires 0 <= name && name < addresses;
    ensures \result >= 0; */
int path_of(int name)
{
    return address_path[name];
}

/*@ requires 0 <= name && name < addresses;
    ensures \result != 0; */
int print_of(int name)
{
    return address_print[name];
}

// How many addresses have names. There may soon be more, but never less.
/*@ ensures 0 <= \result && \result <= addresses; */
int count_addresses(void)
{
    return addresses;
}

// Whether two names are of the same place.
/*@ requires 0 <= one && one < addresses && 0 <= other && other < addresses; */
int is_same_address(int one, int other)
{
    if (print_of(one) != print_of(other))
        return 0;
    return host_of(one) == host_of(other) && path_of(one) == path_of(other);
}

// ---------------------------------------------------------------------------------------------------
// The frontier: a ring of addresses that wait to be fetched
// ---------------------------------------------------------------------------------------------------

#define WAITING 512

struct waiting {
    int name;
    int depth;
};

pthread_mutex_t frontier = PTHREAD_MUTEX_INITIALIZER;
int first;    //@ unwritable_by_env_if \holder(frontier) == \tid;
int waiting;  //@ unwritable_by_env_if \holder(frontier) == \tid;
int deepest;  //@ unwritable_by_env_if \holder(frontier) == \tid;
int refused;  //@ unwritable_by_env_if \holder(frontier) == \tid;
struct waiting ring[WAITING]; //@ unwritable_by_env_if \holder(frontier) == \tid;

/*@ global_invariant 0 <= first && first < WAITING;
    global_invariant 0 <= waiting && waiting <= WAITING;
    global_invariant 0 <= deepest && 0 <= refused && refused <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < WAITING ==> 0 <= ring[i].depth; */

// The place in the ring that is so far behind the first.
int place_behind(int start, int distance)
{
    int place = start + distance;
    return place >= WAITING ? place - WAITING : place;
}

// Puts an address at the end of the frontier; whether there was room.
/*@ requires 0 <= name && 0 <= depth;
    modifies frontier, waiting, deepest, refused, ring; */
int put(int name, int depth)
{
    int done = 0;
    pthread_mutex_lock(&frontier);
#ifdef BUG_EARLY_UNLOCK
    int place = place_behind(first, waiting);
    int room = waiting < WAITING;
    pthread_mutex_unlock(&frontier);
    if (room) {
        ring[place].name = name;
        ring[place].depth = depth;
        pthread_mutex_lock(&frontier);
        if (waiting < WAITING)
            waiting = waiting + 1;
        pthread_mutex_unlock(&frontier);
        done = 1;
    }
#else
    if (waiting < WAITING) {
        int place = place_behind(first, waiting);
        if (place < WAITING) {
            ring[place].name = name;
            ring[place].depth = depth;
            waiting = waiting + 1;
            if (depth > deepest)
                deepest = depth;
            done = 1;
        }
    } else {
        refused = plus(refused, 1);
    }
    pthread_mutex_unlock(&frontier);
#endif
    return done;
}

// Takes the first address; -1 if nothing waits.
/*@ modifies frontier, first, waiting;
    ensures \result >= -1; */
int take(void)
{
    int name = -1;
    pthread_mutex_lock(&frontier);
    if (waiting > 0) {
        name = ring[first].name;
        first = place_behind(first, 1);
        waiting = waiting - 1;
    }
    pthread_mutex_unlock(&frontier);
    return name < 0 ? -1 : name;
}

// How deep the first address lies; -1 if nothing waits.
/*@ modifies frontier;
    ensures \result >= -1; */
int next_depth(void)
{
    int depth = -1;
    pthread_mutex_lock(&frontier);
    if (waiting > 0)
        depth = ring[first].depth;
    pthread_mutex_unlock(&frontier);
    return depth;
}

// Drops the addresses at the end that lie deeper than this; how many these were.
/*@ requires 0 <= limit;
    modifies frontier, waiting;
    ensures \result >= 0; */
int drop_deep(int limit)
{
    int dropped = 0;
    pthread_mutex_lock(&frontier);
    int left = waiting;
    //@ loop invariant 0 <= left && left <= waiting && 0 <= dropped && \holder(frontier) == \tid;
    while (left > 0 && dropped < WAITING) {
        int place = place_behind(first, left - 1);
        if (place >= WAITING || ring[place].depth <= limit)
            break;
        left = left - 1;
        dropped = dropped + 1;
    }
    waiting = left;
    pthread_mutex_unlock(&frontier);
    return dropped;
}

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

// ---------------------------------------------------------------------------------------------------
// The log of events: the latest ones, for whoever looks after the crawler
// ---------------------------------------------------------------------------------------------------

#define EVENTS 128
#define STARTED 1
#define FETCHED 2
#define FAILED 3
#define FLUSHED 4
#define WAITED 5
#define STOPPED 6

pthread_mutex_t logging = PTHREAD_MUTEX_INITIALIZER;
int events;              //@ unwritable_by_env_if \holder(logging) == \tid;
int lost_events;         //@ unwritable_by_env_if \holder(logging) == \tid;
int event_kind[EVENTS];  //@ unwritable_by_env_if \holder(logging) == \tid;
int event_value[EVENTS]; //@ unwritable_by_env_if \holder(logging) == \tid;

/*@ global_invariant 0 <= events && events <= EVENTS;
    global_invariant 0 <= lost_events && lost_events <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < EVENTS ==> 0 <= event_kind[i] && event_kind[i] <= STOPPED; */

// Adds an event; when the log is full, it is counted among those that are lost.
/*@ requires STARTED <= kind && kind <= STOPPED;
    modifies logging, events, lost_events, event_kind, event_value; */
void log_event(int kind, int value)
{
    pthread_mutex_lock(&logging);
    int place = events;
#ifdef BUG_BOUNDS
    if (place <= EVENTS) {
#else
    if (place < EVENTS) {
#endif
        event_kind[place] = kind;
        event_value[place] = value;
        events = place + 1;
    } else {
        lost_events = plus(lost_events, 1);
    }
    pthread_mutex_unlock(&logging);
}

// How many events of a kind are in the log.
/*@ modifies logging;
    ensures 0 <= \result && \result <= EVENTS; */
int count_events(int kind)
{
    int count = 0;
    pthread_mutex_lock(&logging);
    //@ loop invariant 0 <= i && 0 <= count && count <= i && i <= events && \holder(logging) == \tid;
    for (int i = 0; i < events; i++)
        if (event_kind[i] == kind)
            count = count + 1;
    pthread_mutex_unlock(&logging);
    return count;
}

// Forgets the older half of a log that is full.
/*@ modifies logging, events, event_kind, event_value; */
void shorten_log(void)
{
    pthread_mutex_lock(&logging);
    if (events == EVENTS) {
        int half = EVENTS / 2;
        //@ loop invariant 0 <= i && \holder(logging) == \tid;
        for (int i = 0; i < half; i++) {
            event_kind[i] = event_kind[i + half];
            event_value[i] = event_value[i + half];
        }
        events = half;
    }
    pthread_mutex_unlock(&logging);
}

// ---------------------------------------------------------------------------------------------------
// Names of hosts: a small cache of what the name server has answered
// ---------------------------------------------------------------------------------------------------

#define ANSWERS 32
#define LIFETIME 600

struct answer {
    int host;
    int place;
    int until;
};

pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER;
struct answer answers[ANSWERS]; //@ unwritable_by_env_if \holder(names) == \tid;
int oldest;                     //@ unwritable_by_env_if \holder(names) == \tid;
int hits;                       //@ unwritable_by_env_if \holder(names) == \tid;
int misses;                     //@ unwritable_by_env_if \holder(names) == \tid;

/*@ global_invariant 0 <= oldest && oldest < ANSWERS;
    global_invariant 0 <= hits && hits <= MOST_COUNTED;
    global_invariant 0 <= misses && misses <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < ANSWERS ==> answers[i].place >= 0; */

// What the name server says. It takes its time, so no lock is held.
int ask_name_server(int host)
{
    int place = __VERIFIER_nondet_int();
    return place < 0 ? host : place;
}

// The network place of a host from the cache; -1 if it is not there or too old.
/*@ requires host >= 0 && now >= 0;
    modifies names, hits, misses;
    ensures \result >= -1; */
int cached_place(int host, int now)
{
    int place = -1;
    pthread_mutex_lock(&names);
    //@ loop invariant 0 <= i && place >= -1 && \holder(names) == \tid;
    for (int i = 0; i < ANSWERS; i++)
        if (answers[i].host == host && answers[i].until > now) {
            place = answers[i].place;
            break;
        }
    if (place >= 0)
        hits = plus(hits, 1);
    else
        misses = plus(misses, 1);
    pthread_mutex_unlock(&names);
    return place;
}

// Replaces the oldest answer.
/*@ requires place >= 0 && 0 <= now && now <= 1000000000;
    modifies names, oldest, answers; */
void remember_place(int host, int place, int now)
{
    pthread_mutex_lock(&names);
    answers[oldest].host = host;
    answers[oldest].place = place;
    answers[oldest].until = now + LIFETIME;
    oldest = oldest + 1 < ANSWERS ? oldest + 1 : 0;
    pthread_mutex_unlock(&names);
}

// The network place of a host.
/*@ requires host >= 0 && 0 <= now && now <= 1000000000;
    modifies names, hits, misses, oldest, answers;
    ensures \result >= 0; */
int resolve(int host, int now)
{
    int place = cached_place(host, now);
    if (place < 0) {
        place = ask_name_server(host);
        remember_place(host, place, now);
    }
    return place;
}

// ---------------------------------------------------------------------------------------------------
// Bandwidth: tokens that requests use up and the background thread renews
// ---------------------------------------------------------------------------------------------------

#define MOST_TOKENS 10000

pthread_mutex_t bandwidth = PTHREAD_MUTEX_INITIALIZER;
int tokens;    //@ unwritable_by_env_if \holder(bandwidth) == \tid;
int throttled; //@ unwritable_by_env_if \holder(bandwidth) == \tid;

/*@ global_invariant 0 <= tokens && tokens <= MOST_TOKENS;
    global_invariant 0 <= throttled && throttled <= MOST_COUNTED; */

// Uses so many tokens up, if there are as many; whether there were.
/*@ requires 0 <= count;
    modifies bandwidth, tokens, throttled; */
int use_tokens(int count)
{
    pthread_mutex_lock(&bandwidth);
    int enough = tokens >= count;
    if (enough)
        tokens = tokens - count;
    else
        throttled = plus(throttled, 1);
    pthread_mutex_unlock(&bandwidth);
    return enough;
}

/*@ requires 0 <= count && count <= MOST_TOKENS;
    modifies bandwidth, tokens; */
void renew_tokens(int count)
{
    pthread_mutex_lock(&bandwidth);
    tokens = tokens > MOST_TOKENS - count ? MOST_TOKENS : tokens + count;
    pthread_mutex_unlock(&bandwidth);
}

// ---------------------------------------------------------------------------------------------------
// Rules: what hosts do not want to be visited
// ---------------------------------------------------------------------------------------------------

// A range of paths of a host. Rules are complete before others see them, and stay.
struct rule {
    int host;
    int from;
    int to;
    struct rule *next;
};
/*@ env_assumption \forall struct rule *r; r->host' == r->host;
    env_assumption \forall struct rule *r; r->from' == r->from;
    env_assumption \forall struct rule *r; r->to' == r->to;
    env_assumption \forall struct rule *r; r->next' == r->next;
    global_invariant \forall struct rule *r; r->from <= r->to; */

pthread_mutex_t ruling = PTHREAD_MUTEX_INITIALIZER;
struct rule *rules; //@ unwritable_by_env_if \holder(ruling) == \tid;
int rule_count;     //@ unwritable_by_env_if \holder(ruling) == \tid;
//@ global_invariant 0 <= rule_count && rule_count <= MOST_COUNTED;

// Forbids a range of paths of a host.
/*@ requires from <= to;
    modifies ruling, rules, rule_count; */
void forbid(int host, int from, int to)
{
    struct rule *r = calloc(1, sizeof *r);
    if (r == 0)
        return;
    r->host = host;
    r->from = from;
    r->to = to;
    pthread_mutex_lock(&ruling);
    r->next = rules;
    rules = r;
    rule_count = plus(rule_count, 1);
    pthread_mutex_unlock(&ruling);
}

// The first rule; those behind it do not change, so they are looked at without a lock.
/*@ modifies ruling; */
struct rule *first_rule(void)
{
    pthread_mutex_lock(&ruling);
    struct rule *r = rules;
    pthread_mutex_unlock(&ruling);
    return r;
}

// Whether a path of a host may be visited.
/*@ modifies ruling; */
int is_allowed(int host, int path)
{
    struct rule *r = first_rule();
    while (r != 0) {
        assert(r->from <= r->to);
        if (r->host == host && r->from <= path && path <= r->to)
            return 0;
        r = r->next;
    }
    return 1;
}

// ---------------------------------------------------------------------------------------------------
// Documents: what a host has sent, and the links in it
// ---------------------------------------------------------------------------------------------------

#define MOST_TEXT 4096
#define MOST_LINKS 64
#define IS_TEXT(t) ((t) != 0 && \length(t) >= MOST_TEXT)
#define HAS_ROOM(f) ((f) != 0 && \length(f) >= MOST_LINKS)

// A link as it stands in a document.
struct found {
    int host;
    int path;
};
//@ global_invariant \forall struct found *f; f->host >= 0 && f->path >= 0;

// Asks a host for a page; its text, which ends with 0, or nothing if the host does not answer.
/*@ ensures \result == 0 || IS_TEXT(\result); */
char *fetch(int place, int path)
{
    if (__VERIFIER_nondet_int() == place - path)
        return 0;
    char *text = calloc(MOST_TEXT, 1);
    if (text == 0)
        return 0;
    int length = __VERIFIER_nondet_int();
    //@ loop invariant 0 <= i;
    for (int i = 0; i < length && i < MOST_TEXT - 1; i++)
        text[i] = __VERIFIER_nondet_char();
    return text;
}

// Room for the links of a document.
/*@ ensures \result == 0 || HAS_ROOM(\result); */
struct found *make_room(void)
{
    return calloc(MOST_LINKS, sizeof(struct found));
}

int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// How long a text is.
/*@ requires IS_TEXT(text);
    ensures 0 <= \result && \result < MOST_TEXT; */
int length_of(char *text)
{
    int length = 0;
    //@ loop invariant 0 <= length && length < MOST_TEXT;
    while (length < MOST_TEXT - 1 && text[length] != 0)
        length = length + 1;
    return length;
}

// A sum of a text by which copies are known.
/*@ requires IS_TEXT(text) && 0 <= length && length < MOST_TEXT; */
int sum_of(char *text, int length)
{
    unsigned sum = 17u;
    //@ loop invariant 0 <= i;
    for (int i = 0; i < length; i++)
        sum = sum * 33u + (unsigned)(unsigned char)text[i];
    return (int)(sum % 2147483647u);
}

// The first place from here on where there is no space.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_space(char *text, int at)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && is_space(text[next]))
        next = next + 1;
    return next;
}

// The first place behind a word that begins here.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_word(char *text, int at)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && is_letter(text[next]))
        next = next + 1;
    return next;
}

// The first place from here on with this character, or the last place.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_to(char *text, int at, char end)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && text[next] != end && text[next] != 0)
        next = next + 1;
    return next;
}

// A number that stands here; it is 0 if there is none, and cut off if it is large.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures 0 <= \result && \result <= 1000000; */
int number_at(char *text, int at)
{
    int number = 0;
    //@ loop invariant at <= i && 0 <= number && number <= 1000000;
    for (int i = at; i < MOST_TEXT; i++) {
        char digit = text[i];
        if (!is_digit(digit))
            break;
        number = number * 10 + (digit - '0');
        if (number > 1000000)
            number = 1000000;
    }
    return number;
}

// Whether a word begins here, in small letters.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT; */
int is_reference(char *text, int at)
{
    if (at + 4 >= MOST_TEXT)
        return 0;
    return text[at] == 'h' && text[at + 1] == 'r' && text[at + 2] == 'e' && text[at + 3] == 'f';
}

// The place behind a comment that begins here, or behind this character.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_comment(char *text, int at)
{
    if (at + 3 >= MOST_TEXT || text[at + 1] != '!' || text[at + 2] != '-')
        return at + 1 < MOST_TEXT ? at + 1 : at;
    int next = at + 3;
    //@ loop invariant at < next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && text[next] != 0) {
        if (text[next] == '>' && text[next - 1] == '-')
            return next + 1;
        next = next + 1;
    }
    return next;
}

// The place of the next link from here on, or the last place of the text.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int next_link(char *text, int at)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && text[next] != 0) {
        if (is_reference(text, next))
            return next;
        next = text[next] == '<' ? skip_comment(text, next) : next + 1;
    }
    return MOST_TEXT - 1;
}

// Collects the links of a text; how many there are. A link is a word, a number for the host and a
// number for the path: href = 12 / 34.
/*@ requires IS_TEXT(text) && HAS_ROOM(found);
    modifies \forall struct found *f; f->host, \forall struct found *f; f->path;
    ensures 0 <= \result && \result <= MOST_LINKS; */
int find_links(char *text, struct found *found)
{
    int count = 0;
    int at = next_link(text, 0);
    //@ loop invariant 0 <= count && count <= MOST_LINKS && 0 <= at && at < MOST_TEXT;
    while (count < MOST_LINKS && at < MOST_TEXT - 1) {
        at = skip_word(text, at);
        at = skip_to(text, at, '=');
        if (at < MOST_TEXT - 1)
            at = skip_space(text, at + 1);
        int host = number_at(text, at);
        at = skip_to(text, at, '/');
        if (at < MOST_TEXT - 1) {
            int path = number_at(text, at + 1);
            found[count].host = host;
            found[count].path = path;
            count = count + 1;
            at = next_link(text, at);
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------
// Workers
// ---------------------------------------------------------------------------------------------------

#define STATISTICS statistics, fetched, failed, duplicates, links, bytes
#define NAMING naming, addresses, address_host, address_path, address_print
#define SEEN_LOCK seen_lock.guard, seen_lock.writer, seen_lock.readers
#define SEEN SEEN_LOCK, fingerprints, seen
#define FRONTIER frontier, first, waiting, deepest, refused, ring
#define TABLE_LOCK table_lock.guard, table_lock.writer, table_lock.readers
#define TABLE TABLE_LOCK, known_hosts, \forall struct host *h; h->number
#define LOG logging, events, lost_events, event_kind, event_value
#define IS_OUTSIDE (!\in(\tid, seen_lock.readers))

pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
int stopping; //@ unwritable_by_env_if \holder(ending) == \tid;
int running;  //@ unwritable_by_env_if \holder(ending) == \tid;

// Who stops the crawler does so for good.
/*@ env_assumption stopping ==> stopping';
    global_invariant 0 <= running && running <= MOST_COUNTED; */

/*@ modifies ending, running; */
void enter_work(void)
{
    pthread_mutex_lock(&ending);
    running = plus(running, 1);
    pthread_mutex_unlock(&ending);
}

/*@ modifies ending, running; */
void leave_work(void)
{
    pthread_mutex_lock(&ending);
    running = running > 0 ? running - 1 : 0;
    pthread_mutex_unlock(&ending);
}

/*@ modifies ending;
    action: also_modifies stopping; ensures stopping' == 1; */
void stop(void)
{
    pthread_mutex_lock(&ending);
    stopping = 1;
    pthread_mutex_unlock(&ending);
}

int is_stopping(void)
{
    pthread_mutex_lock(&ending);
    int now = stopping;
    pthread_mutex_unlock(&ending);
    return now;
}

// Whether the crawler has nothing more to do, or has failed too often.
/*@ requires configured;
    modifies ending, statistics; */
int is_over(void)
{
    if (is_stopping() || is_enough())
        return 1;
    return failure_rate() > 90;
}

// Puts a link into the frontier, unless its address was seen before.
/*@ requires host >= 0 && path >= 0 && depth >= 0;
    modifies NAMING, SEEN, FRONTIER, statistics, duplicates; */
void follow(int host, int path, int depth)
{
    int print = fingerprint(host, path);
    if (was_seen(print) || !enter(print)) {
        count_duplicate();
        return;
    }
    int name = name_address(host, path);
    if (name >= 0)
        put(name, depth);
}

// Moves an address from the frontier to the queue of its host; whether one was waiting.
/*@ modifies frontier, first, waiting, TABLE, \forall struct host *h; h->lock,
             \forall struct host *h; h->queue, \forall struct host *h; h->queued; */
int distribute(void)
{
    int depth = next_depth();
    int name = take();
    if (name < 0 || depth < 0 || name >= count_addresses())
        return 0;
    int place = place_of_host(host_of(name));
    if (place >= 0)
        queue_link(host_at(place), name, depth);
    return 1;
}

// Follows the links that were found in a document.
/*@ requires HAS_ROOM(found) && 0 <= count && count <= MOST_LINKS && 0 <= depth && depth <= 101;
    modifies NAMING, SEEN, FRONTIER, statistics, duplicates; */
void follow_all(struct found *found, int count, int depth)
{
    //@ loop invariant 0 <= i;
    for (int i = 0; i < count; i++)
        follow(found[i].host, found[i].path, depth);
}

// Keeps a document and follows its links.
/*@ requires IS_TEXT(text) && 0 <= depth && depth <= 100;
    modifies NAMING, SEEN, FRONTIER, STATISTICS,
             store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner,
             \forall struct page *p; p->name, \forall struct page *p; p->size, \forall struct page *p; p->sum,
             \forall struct found *f; f->host, \forall struct found *f; f->path; */
void process(char *text, int name, int depth)
{
    int length = length_of(text);
    int sum = sum_of(text, length);
    if (!keep_page(name, length, sum))
        count_failure();
    count_page(length);
    struct found *found = make_room();
    if (found == 0)
        return;
    int count = find_links(text, found);
    count_links(count);
    follow_all(found, count, depth + 1);
}

// Fetches the document of an address; nothing if the host does not want that, or does not answer.
/*@ requires IS_HOST(h) && 0 <= name && name < addresses && 0 <= now && now <= 1000000000;
    modifies LOG, names, hits, misses, oldest, answers, bandwidth, tokens, throttled, ruling,
             h->lock, h->errors, h->next_visit, statistics, failed;
    ensures \result == 0 || IS_TEXT(\result); */
char *visit(struct host *h, int name, int now)
{
    int host = host_of(name);
    int path = path_of(name);
    if (!is_allowed(host, path) || !use_tokens(1)) {
        log_event(WAITED, name);
        return 0;
    }
    char *text = fetch(resolve(host, now), path);
    if (text == 0) {
        note_error(h);
        count_failure();
        log_event(FAILED, name);
        return 0;
    }
    note_answer(h);
    log_event(FETCHED, name);
    return text;
}

// Works on one link of a host, if it is polite to visit it now.
/*@ requires configured && IS_HOST(h) && 0 <= now && now <= 1000000000;
    modifies LOG, names, hits, misses, oldest, answers, bandwidth, tokens, throttled, ruling,
             h->lock, h->errors, h->next_visit, h->visits, h->queue, h->queued,
             NAMING, SEEN, FRONTIER, STATISTICS,
             store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner,
             \forall struct page *p; p->name, \forall struct page *p; p->size, \forall struct page *p; p->sum,
             \forall struct found *f; f->host, \forall struct found *f; f->path; */
void serve(struct host *h, int now)
{
    if (is_given_up(h) || !may_visit(h, now))
        return;
    struct link *l = unqueue_link(h);
    if (l == 0 || l->depth > most_depth || l->name >= count_addresses())
        return;
    char *text = visit(h, l->name, now);
    if (text != 0)
        process(text, l->name, l->depth);
}

// A worker goes from host to host until the crawler is over.
/*@ requires configured; */
void *work(void *unused)
{
    int place = 0;
    enter_work();
    log_event(STARTED, place);
    //@ loop invariant 0 <= place;
    while (!is_over()) {
        int count = count_hosts();
        int now = within(__VERIFIER_nondet_int(), 0, 1000000000);
        place = place < count - 1 ? place + 1 : 0;
        if (place < count)
            serve(host_at(place), now);
        if (!distribute() && count_queued() == 0)
            stop();
    }
    log_event(STOPPED, place);
    leave_work();
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// The background thread
// ---------------------------------------------------------------------------------------------------

// Brings pages to the disk, keeps it in order, and renews what workers use up.
void *tidy(void *unused)
{
    while (!is_stopping()) {
        if (flush_page()) {
            log_event(FLUSHED, bytes_on_disk());
            drop_double();
        } else {
            order_records();
        }
        renew_tokens(10);
        drop_deep(50);
        if (count_events(WAITED) > EVENTS / 2 || count_events(FLUSHED) > EVENTS / 2)
            shorten_log();
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// The first thread
// ---------------------------------------------------------------------------------------------------

#define WORKERS 16

// Reads which paths hosts do not want to be visited.
void read_rules(int count)
{
    //@ loop invariant 0 <= i && \tid == \main;
    for (int i = 0; i < count; i++) {
        int from = within(__VERIFIER_nondet_int(), 0, 1000);
        int to = within(__VERIFIER_nondet_int(), 1000, 2000);
        forbid(__VERIFIER_nondet_int(), from, to);
    }
}

/*@ requires !configured; */
int main(void)
{
    pthread_t thread;
    configure(__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    read_rules(10);
    follow(1, 1, 0);
    follow(2, 1, 0);
    int first_name = 0;
    if (count_addresses() > 1 && is_same_address(first_name, 1))
        return 1;
    pthread_create(&thread, 0, tidy, 0);
    //@ loop invariant configured && 0 <= i;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread, 0, work, 0);
    return 0;
}
