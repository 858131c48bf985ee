/* The ticket lock of ticket_lock.c without predicates: `cover` finds them.

       selvedge verify examples/ticket_lock_plain.c --engine cover --int math */

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int serving, next, inside;

static void *worker(void *unused) {
    __VERIFIER_atomic_begin();
    int ticket = next;
    next = next + 1;
    __VERIFIER_atomic_end();

    while (serving != ticket) {
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    serving = serving + 1;
    return unused;
}

pthread_t thread;

int main(void) {
    for (;;) {
        pthread_create(&thread, 0, worker, 0);
    }
}
