// Figure 5 of "Modular verification of multithreaded programs": a spin lock by compare-and-swap, and
// two threads that use it. The lock is proved once, from its contract on; its users are proved without
// a look at its code.
//
//     selvedge contracts examples/contracts/simple_lock.c

#include <assert.h>
#include <pthread.h>

#define LIMIT 1000000

// The thread that holds the lock, or 0.
pthread_t m; //@ unwritable_by_env_if m == \tid;
int x;       //@ unwritable_by_env_if m == \tid;

//@ global_invariant m == 0 ==> x >= 0;

/*@ action: also_modifies m; ensures m == 0 && m' == \tid; */
void acquire(void)
{
    while (!__sync_bool_compare_and_swap(&m, 0, pthread_self()))
        ;
}

/*@ requires m == \tid && x >= 0;
    action: also_modifies m; ensures m' == 0; */
void release(void)
{
    __atomic_store_n(&m, 0, __ATOMIC_SEQ_CST);
}

void *t1(void *unused)
{
    acquire();
    if (x < LIMIT)
        x++;
    else
        x = 1;
    assert(x > 0);
    release();
    return 0;
}

void *t2(void *unused)
{
    acquire();
    x = 0;
    release();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    return 0;
}
