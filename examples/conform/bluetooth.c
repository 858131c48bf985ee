/*
 * The Bluetooth driver of Lahiri, Malkis and Qadeer, "Abstract Threads" (figure 4), with a
 * specification of each thread: one thread unloads the driver while two others use it, and no worker
 * may touch the driver once it is gone.
 *
 *     selvedge conform examples/conform/bluetooth.c
 *     selvedge conform -DANY examples/conform/bluetooth.c       any number of workers
 *
 * The checks of the threads do not depend on the number of workers; only the composition does.
 * The abstract threads leave out `status` and how the steps are divided among functions.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

#ifndef WORKERS
#define WORKERS 2
#endif

atomic_int pendingIO = 1;
atomic_int stoppingFlag, stoppingEvent, stopped;

/*@ abstract_thread Worker abstracts PnpAdd {
      state Outside initial;
      state Entered;
      state Working assert stopped == 0;
      state Left;
      state Last;
      state Done;
      Outside -> Entered: pendingIO' == pendingIO + 1, modifies pendingIO;
      Entered -> Working: stoppingFlag == 0;
      Entered -> Left: pendingIO' == pendingIO - 1, modifies pendingIO;
      Working -> Left: pendingIO' == pendingIO - 1, modifies pendingIO;
      Left -> Last: pendingIO == 0;
      Last -> Done: stoppingEvent' == 1, modifies stoppingEvent;
    }

    abstract_thread Unload abstracts PnpStop {
      state Running initial;
      state Stopping;
      state Left;
      state Last;
      state Free;
      state Done;
      Running -> Stopping: stoppingFlag' == 1, modifies stoppingFlag;
      Stopping -> Left: pendingIO' == pendingIO - 1, modifies pendingIO;
      Left -> Last: pendingIO == 0;
      Last -> Left: stoppingEvent' == 1, modifies stoppingEvent;
      Left -> Free: stoppingEvent != 0;
      Free -> Done: stopped' == 1, modifies stopped;
    } */

static int IoIncrement(void) {
    pendingIO++;
    return stoppingFlag ? -1 : 1;
}

static void IoDecrement(void) {
    pendingIO--;
    if (pendingIO == 0)
        stoppingEvent = 1;
}

/* Waiting is one step: it happens once the event is there. */
static void __VERIFIER_atomic_await_stopping_event(void) {
    __VERIFIER_assume(stoppingEvent);
}

static void *PnpStop(void *unused) {
    stoppingFlag = 1;
    IoDecrement();
    __VERIFIER_atomic_await_stopping_event();
    stopped = 1; /* the driver's resources are released here */
    return 0;
}

static void *PnpAdd(void *unused) {
    int status = IoIncrement();
    if (status > 0)
        assert(!stopped); /* the work */
    IoDecrement();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, PnpStop, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, PnpAdd, 0);
#else
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread, 0, PnpAdd, 0);
#endif
    pthread_exit(0);
}
