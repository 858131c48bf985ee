// A readers-writer lock with the contract of figure 8 of "Modular verification of multithreaded
// programs". The contract speaks of two variables of the specification in every lock: the thread
// that writes, and the set of threads that read. begin_write waits until there is neither, then makes
// the thread the writer in one step. What a lock protects is written only by its writer, so it stays
// what it is while a thread reads.
//
//     selvedge contracts examples/contracts/readers_writer_set.c

#include <assert.h>
#include <pthread.h>

#define MOST_READERS 1000

struct lock {
    /*@ ghost pthread_t writer;
        unwritable_by_env_if \holder(m) == \tid;
        ghost \set<thread> readers;
        unwritable_by_env_if \holder(m) == \tid; */
    pthread_mutex_t m;
    int writing; //@ unwritable_by_env_if \holder(m) == \tid;
    int reading; //@ unwritable_by_env_if \holder(m) == \tid;
};

/*@ env_assumption \forall struct lock *l; l->writer == \tid <==> l->writer' == \tid;
    env_assumption \forall struct lock *l; \in(\tid, l->readers) <==> \in(\tid, l->readers');
    global_invariant \forall struct lock *l; l->writing == (l->writer != 0);
    global_invariant \forall struct lock *l; l->reading == \count(l->readers);
    global_invariant \forall struct lock *l; l->reading <= MOST_READERS;
    global_invariant \forall struct lock *l; l->writer == 0 || l->readers == \empty; */

// Lets others run.
void wait(struct lock *l)
{
    pthread_mutex_unlock(&l->m);
    pthread_mutex_lock(&l->m);
}

/*@ requires l != 0;
    modifies l->m, l->writing;
    action: also_modifies l->writer;
            ensures l->writer == 0 && l->readers == \empty && l->writer' == \tid; */
void begin_write(struct lock *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing || l->reading > 0)
        wait(l);
    //@ ghost l->writer = \tid;
    l->writing = 1;
    pthread_mutex_unlock(&l->m);
}

/*@ requires l != 0 && l->writer == \tid;
    modifies l->m, l->writing;
    action: also_modifies l->writer; ensures l->writer' == 0; */
void end_write(struct lock *l)
{
    pthread_mutex_lock(&l->m);
    //@ ghost l->writer = 0;
    l->writing = 0;
    pthread_mutex_unlock(&l->m);
}

/*@ requires l != 0 && !\in(\tid, l->readers);
    modifies l->m, l->reading;
    action: also_modifies l->readers;
            ensures l->writer == 0 && l->readers' == \add(l->readers, \tid); */
void begin_read(struct lock *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing || l->reading >= MOST_READERS)
        wait(l);
    //@ ghost l->readers = \add(l->readers, \tid);
    l->reading = l->reading + 1;
    pthread_mutex_unlock(&l->m);
}

/*@ requires l != 0 && \in(\tid, l->readers);
    modifies l->m, l->reading;
    action: also_modifies l->readers; ensures l->readers' == \remove(l->readers, \tid); */
void end_read(struct lock *l)
{
    pthread_mutex_lock(&l->m);
    //@ ghost l->readers = \remove(l->readers, \tid);
    l->reading = l->reading - 1;
    pthread_mutex_unlock(&l->m);
}

struct lock lock = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
int table; //@ unwritable_by_env_if lock.writer == \tid || \in(\tid, lock.readers);

//@ requires !\in(\tid, lock.readers);
void *look(void *unused)
{
    begin_read(&lock);
    int seen = table;
    assert(seen == table);
    end_read(&lock);
    return 0;
}

void *update(void *unused)
{
    begin_write(&lock);
    table = 1;
    assert(table == 1);
    table = 2;
    assert(table == 2);
    end_write(&lock);
    return 0;
}

int main(void)
{
    for (;;) {
        pthread_t one, other;
        pthread_create(&one, 0, update, 0);
        pthread_create(&other, 0, look, 0);
    }
}
