/*
 * The counters of counters.c, divided into functions that have contracts. The checks of the threads use
 * the contracts in the place of calls, `count` may call itself, and each contract is a part of the
 * proof: that the function keeps it, whatever other threads do meanwhile.
 *
 *     selvedge conform examples/conform/publish.c
 *
 * With a contract that the function does not keep, and with a call that the contract does not allow,
 * the program is not proved:
 *
 *     selvedge conform -DWRONG_BODY examples/conform/publish.c
 *     selvedge conform -DWRONG_CALL examples/conform/publish.c
 */
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

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

/*@ requires x > 0;
    action: also_modifies g; ensures g' == x; */
static void publish(int x) {
#ifdef WRONG_BODY
    g = 0;
#endif
    g = x;
}

/*@ requires from > 0;
    ensures \result >= from; */
static int count(int from) {
    if (from >= 1000 || !__VERIFIER_nondet_int())
        return from;
    return count(from + 1);
}

static void *grow(void *unused) {
    int x = 1;
    if (__VERIFIER_nondet_int())
        x = g;
    publish(count(x));
    return 0;
}

static void *check(void *unused) {
#ifdef WRONG_CALL
    publish(0);
#else
    publish(count(1));
#endif
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
