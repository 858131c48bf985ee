/*
 * A stack that threads share, without a program around it.
 *
 *     selvedge verify --module --property assert,race,memory examples/module/stack.c
 *
 * Any number of threads call push and pop, in any order and with any arguments that the contracts
 * allow.
 */
#include <assert.h>
#include <pthread.h>

#define SIZE 4

static int items[SIZE];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int push(int item) {
    int done = 0;
    pthread_mutex_lock(&lock);
    if (count < SIZE) {
        items[count] = item;
        count++;
        done = 1;
    }
    assert(0 <= count && count <= SIZE);
    pthread_mutex_unlock(&lock);
    return done;
}

/*@ requires item != 0; */
int pop(int *item) {
    int done = 0;
    pthread_mutex_lock(&lock);
    if (count > 0) {
        count--;
#ifdef TOO_LATE
        pthread_mutex_unlock(&lock);
        *item = items[count];
        pthread_mutex_lock(&lock);
#else
        *item = items[count];
#endif
        done = 1;
    }
    pthread_mutex_unlock(&lock);
    return done;
}
