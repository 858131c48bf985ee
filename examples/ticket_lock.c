/* A ticket lock, used by any number of threads: each draws the next ticket and waits until it is
   served.

       selvedge verify examples/ticket_lock.c --engine cover --int math

   The predicates are a help, not a need: `cover` finds its own where there are none. */

#include <assert.h>
#include <pthread.h>

/*@ predicate ticket != \other(ticket);
    predicate next > ticket && next > \other(ticket);
    predicate serving == ticket; */

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
