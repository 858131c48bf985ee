/* As producer_consumer.c, but the consumer gives the cell back before it has read it. */
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int flag;
static int data;

static void *producer(void *unused)
{
    while (1) {
        while (atomic_load(&flag) != 0)
            ;
        data = __VERIFIER_nondet_int();
        atomic_store(&flag, 1);
    }
    return 0;
}

static void *consumer(void *unused)
{
    int copy = 0;
    while (1) {
        while (atomic_load(&flag) != 1)
            ;
        atomic_store(&flag, 0);
        copy = data;
    }
    return 0;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
