/*
 * The Bluetooth driver of Lahiri, Malkis and Qadeer, "Abstract Threads", figure 4: one thread
 * unloads the driver while any number of threads use it. No worker may touch the driver once it is
 * gone.
 *
 *     selvedge verify --engine horn --property assert examples/bluetooth_any.c
 *
 * The driver counts in machine integers, which as many workers as there are integers would overflow;
 * the proof assumes that there are fewer than 2^31 threads at once, and says so.
 *
 * `pendingIO` counts the workers inside, plus one for the driver itself. Counting up and down are
 * interlocked operations, as in the driver; with plain ++ and --, two workers could lose an update
 * and the property would not hold. Looking at the count afterwards is a step of its own.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

atomic_int pendingIO = 1;
atomic_int stoppingFlag, stoppingEvent, stopped;

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
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, PnpAdd, 0);
    pthread_exit(0);
}
