/*
 * bluetooth.c with the order in IoIncrement turned round: the flag is tested before the count is
 * taken. Between the two steps the driver may be unloaded.
 *
 *     selvedge verify examples/bluetooth_bug.c          UNSAFE
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef WORKERS
#define WORKERS 1
#endif

extern void __VERIFIER_assume(int);

atomic_int pendingIO = 1;
atomic_int stoppingFlag, stoppingEvent, stopped;

static int IoIncrement(void) {
    if (stoppingFlag)
        return -1;
    pendingIO++;
    return 1;
}

static void IoDecrement(void) {
    pendingIO--;
    if (pendingIO == 0)
        stoppingEvent = 1;
}

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
    if (status > 0) {
        assert(!stopped); /* the work */
        IoDecrement();
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, PnpStop, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread, 0, PnpAdd, 0);
    pthread_exit(0);
}
