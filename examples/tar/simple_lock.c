/* Any number of threads set x under one lock, over and over. */
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *setter(void *unused)
{
    int own = __VERIFIER_nondet_int();
    while (1) {
        pthread_mutex_lock(&m);
        x = own;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    while (1) {
        pthread_t t;
        pthread_create(&t, 0, setter, 0);
    }
}
