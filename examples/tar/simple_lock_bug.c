/* As simple_lock.c, but every other time the lock is forgotten. */
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *setter(void *unused)
{
    int own = __VERIFIER_nondet_int();
    int careful = 1;
    while (1) {
        if (careful)
            pthread_mutex_lock(&m);
        x = own;
        if (careful)
            pthread_mutex_unlock(&m);
        careful = !careful;
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
