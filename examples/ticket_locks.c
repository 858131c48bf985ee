/* Any number of threads go through LOCKS ticket locks, one behind the other. Each protects a variable
   of its own. The locks have nothing to do with each other, so `cover` proves one after the other.

       selvedge verify examples/ticket_locks.c --engine cover --int math -D LOCKS=2 */

#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifndef LOCKS
#define LOCKS 3
#endif

#define DECLARE(n) int serving##n, next##n, inside##n;

#define PASS(n)                       \
    __VERIFIER_atomic_begin();        \
    int ticket##n = next##n;          \
    next##n = next##n + 1;            \
    __VERIFIER_atomic_end();          \
    while (serving##n != ticket##n) { \
    }                                 \
    assert(!inside##n);               \
    inside##n = 1;                    \
    inside##n = 0;                    \
    serving##n = serving##n + 1;

#if LOCKS >= 5
#define ALL(DO) DO(1) DO(2) DO(3) DO(4) DO(5)
#elif LOCKS == 4
#define ALL(DO) DO(1) DO(2) DO(3) DO(4)
#elif LOCKS == 3
#define ALL(DO) DO(1) DO(2) DO(3)
#elif LOCKS == 2
#define ALL(DO) DO(1) DO(2)
#else
#define ALL(DO) DO(1)
#endif

ALL(DECLARE)

static void *worker(void *unused) {
    ALL(PASS)
    return unused;
}

pthread_t thread;

int main(void) {
    for (;;) {
        pthread_create(&thread, 0, worker, 0);
    }
}
