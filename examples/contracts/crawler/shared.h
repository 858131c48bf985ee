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
