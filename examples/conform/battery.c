/*
 * The battery driver of Lahiri, Malkis and Qadeer, "Abstract Threads" (figures 6 and 7): one thread
 * unloads the driver while workers serve requests; nobody may use the driver's data once they are
 * freed.
 *
 *     selvedge conform examples/conform/battery.c
 *     selvedge conform -DANY examples/conform/battery.c         any number of workers
 *
 * The abstract threads do without the local `left` and without `WantToRemove`.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

#ifndef WORKERS
#define WORKERS 2
#endif

atomic_int WorkerActive;     /* requests that a worker has yet to serve */
atomic_int NumQueuedWorkers; /* workers that may begin */
atomic_int InUseCount = 2;   /* references: one of the unloading thread, one of the workers */
atomic_int WantToRemove, ReadyToRemove, stopped;

/*@ abstract_thread Worker abstracts work {
      state Waiting initial;
      state Active assert stopped == 0 && WorkerActive > 0;
      state Using assert stopped == 0 && WorkerActive > 0;
      state Done;
      Waiting -> Active: NumQueuedWorkers > 0 && NumQueuedWorkers' == NumQueuedWorkers - 1,
        modifies NumQueuedWorkers;
      Active -> Using: InUseCount' == InUseCount + 1, modifies InUseCount;
      Using -> Active: InUseCount' == InUseCount - 1, modifies InUseCount;
      Active -> Active: WorkerActive' == WorkerActive - 1 && WorkerActive' > 0,
        modifies WorkerActive;
      Active -> Active: WorkerActive' == 1, modifies WorkerActive;
      Active -> Done: WorkerActive' == WorkerActive - 1 && WorkerActive' == 0,
        modifies WorkerActive;
      Active -> Done: InUseCount' == InUseCount - 1
          && ReadyToRemove' == (InUseCount' == 0 ? 1 : ReadyToRemove),
        modifies InUseCount, ReadyToRemove;
    }

    abstract_thread Unload abstracts unload {
      state Begun initial assert stopped == 0;
      state Alone assert stopped == 0;
      state Leaving assert stopped == 0;
      state Awaiting assert stopped == 0;
      state Free assert stopped == 0;
      state Done;
      Begun -> Alone: WorkerActive' == WorkerActive + 1 && WorkerActive' == 1,
        modifies WorkerActive;
      Begun -> Leaving: WorkerActive' == WorkerActive + 1 && WorkerActive' != 1,
        modifies WorkerActive;
      Alone -> Leaving: InUseCount' == InUseCount - 1
          && ReadyToRemove' == (InUseCount' == 0 ? 1 : ReadyToRemove),
        modifies InUseCount, ReadyToRemove;
      Alone -> Leaving: NumQueuedWorkers' == NumQueuedWorkers + 1, modifies NumQueuedWorkers;
      Leaving -> Awaiting: InUseCount' == InUseCount - 1 && InUseCount' > 0, modifies InUseCount;
      Leaving -> Free: InUseCount' == InUseCount - 1 && InUseCount' <= 0, modifies InUseCount;
      Awaiting -> Free: ReadyToRemove != 0;
      Free -> Done: stopped' == 1, modifies stopped;
    } */

/* Drops a reference; the last one but for the unloading thread's own says so. */
static void __VERIFIER_atomic_release(void) {
    if (--InUseCount == 0)
        ReadyToRemove = 1;
}

static void __VERIFIER_atomic_await_removal(void) {
    __VERIFIER_assume(ReadyToRemove);
}

static void __VERIFIER_atomic_take_turn(void) {
    __VERIFIER_assume(NumQueuedWorkers > 0);
    NumQueuedWorkers--;
}

static void *unload(void *unused) {
    WantToRemove = 1;
    assert(!stopped);
    if (++WorkerActive == 1) {
        /* No worker is active: its reference is dropped here, or by one that is started for it. */
        assert(!stopped);
        if (__VERIFIER_nondet_int())
            __VERIFIER_atomic_release();
        else
            ++NumQueuedWorkers;
    }
    assert(!stopped);
    if (--InUseCount > 0)
        __VERIFIER_atomic_await_removal();
    stopped = 1; /* the data structures are freed here */
    return 0;
}

static void *work(void *unused) {
    __VERIFIER_atomic_take_turn();
    for (;;) {
        assert(!stopped);
        if (WantToRemove) {
            assert(!stopped);
            __VERIFIER_atomic_release();
            break;
        }
        if (__VERIFIER_nondet_int()) {
            assert(!stopped);
            ++InUseCount;
            if (!WantToRemove)
                assert(!stopped); /* a request is served */
            assert(!stopped);
            --InUseCount;
        }
        assert(!stopped);
        int left = --WorkerActive;
        if (left == 0)
            break;
        /* More requests have come, and one more pass serves all of them. */
        assert(!stopped);
        if (left != 1)
            WorkerActive = 1;
    }
    return 0;
}

/* A request: the first one queues a worker. */
static void request(void) {
    if (++WorkerActive == 1)
        ++NumQueuedWorkers;
}

int main(void) {
    pthread_t thread;
    if (__VERIFIER_nondet_int())
        request();
    if (__VERIFIER_nondet_int())
        request();
    pthread_create(&thread, 0, unload, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
#else
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread, 0, work, 0);
#endif
    pthread_exit(0);
}
