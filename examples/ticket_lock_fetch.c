/*
 * A ticket lock, used by any number of threads: each draws the next number and waits until that
 * number is served. No two of them meet in the critical section.
 *
 *     selvedge verify --engine horn --int math examples/ticket_lock_fetch.c
 *
 * Integers are best taken to have no bound here: with machine integers, as many waiting threads as there
 * are numbers would break the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

atomic_uint next_ticket, now_serving;
int inside;

static void *worker(void *unused) {
    unsigned ticket = atomic_fetch_add(&next_ticket, 1);
    while (now_serving != ticket)
        ;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    now_serving = ticket + 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, worker, 0);
    return 0;
}
