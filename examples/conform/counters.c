/*
 * The first example of Lahiri, Malkis and Qadeer, "Abstract Threads" (figures 2 and 3): two threads
 * count in private and publish what they have counted to; what is published is always positive.
 *
 *     selvedge conform examples/conform/counters.c
 *
 * An abstract thread says what the other threads need to know: whoever writes `g` writes something
 * positive. The counters themselves are not mentioned. The assertion in the first state of `A` is
 * what the thread relies on where it takes over the value of `g`.
 *
 *     selvedge conform -DSTART=-1 examples/conform/counters.c
 *
 * The variant of section 2.1: the first thread starts below zero, so it may publish a negative number,
 * which `A` does not allow. The answer names the step that no step of `A` matches.
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifndef START
#define START 1
#endif

int g = 1;

/*@ abstract_thread A abstracts grow {
      state X1 initial assert g > 0;
      state X2 assert g > 0;
      X1 -> X2: g' > 0, modifies g;
    }

    abstract_thread B abstracts check {
      state Y1 initial;
      state Y2 assert g > 0;
      Y1 -> Y2: g' > 0, modifies g;
    } */

static void *grow(void *unused) {
    int x = START;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            x = g;
        else if (x < 1000)
            x = x + 1;
    }
    g = x;
    return 0;
}

static void *check(void *unused) {
    int y = 1;
    while (__VERIFIER_nondet_int())
        if (y < 1000)
            y = y + 1;
    g = y;
    assert(g > 0);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, grow, 0);
    pthread_create(&second, 0, check, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
