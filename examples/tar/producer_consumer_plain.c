/* As producer_consumer.c, with a plain flag, as in textbooks: in C the flag itself has a race. */
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int flag;
static int data;

static void *producer(void *unused)
{
    while (1) {
        while (flag != 0)
            ;
        data = __VERIFIER_nondet_int();
        flag = 1;
    }
    return 0;
}

static void *consumer(void *unused)
{
    int copy = 0;
    while (1) {
        while (flag != 1)
            ;
        copy = data;
        flag = 0;
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
