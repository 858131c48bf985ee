/*
 * The ticket lock of ticket_lock_fetch.c with a mistake: drawing a number is a load and then a store, so
 * two threads can draw the same number.
 *
 *     selvedge verify --engine horn --int math examples/ticket_lock_torn.c   UNSAFE, two threads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

atomic_uint next_ticket, now_serving;
int inside;

static void *worker(void *unused) {
    unsigned ticket = next_ticket;
    next_ticket = ticket + 1;
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
