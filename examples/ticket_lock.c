/* A ticket lock, used by any number of threads: each draws the next ticket and waits until it is
   served.

       selvedge verify examples/ticket_lock.c --engine cover --int math

   The predicates are optional: without them, `cover` finds others. */

#include <assert.h>
#include <pthread.h>

/*@ predicate ticket != \other(ticket);
    predicate next > ticket && next > \other(ticket);
    predicate serving == ticket; */

int serving, next, inside;

static int draw(void) {
    __VERIFIER_atomic_begin();
    int mine = next;
    next = next + 1;
    __VERIFIER_atomic_end();
    return mine;
}

static void *worker(void *unused) {
    int ticket = draw();
    while (serving != ticket) {
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    serving = serving + 1;
    return unused;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, 0);
    }
}
