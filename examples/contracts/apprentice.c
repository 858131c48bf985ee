// The Apprentice challenge (Moore and Porter; section 7.1 of "Modular verification of multithreaded
// programs"): a main thread starts jobs without end, and all of them count in one container. Its counter
// never decreases.
//
//     selvedge contracts examples/contracts/apprentice.c

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct container {
    pthread_mutex_t lock;
    int counter; //@ unwritable_by_env_if \holder(lock) == \tid;
};
//@ env_assumption \forall struct container *c; c->counter <= c->counter';

struct job {
    struct container *objref; //@ unwritable_by_env_if \tid == \main || objref != 0;
};

/*@ requires argument != 0 && ((struct job *)argument)->objref != 0; */
void *run(void *argument)
{
    struct job *job = argument;
    for (;;) {
        pthread_mutex_lock(&job->objref->lock);
        if (job->objref->counter < INT_MAX)
            job->objref->counter = job->objref->counter + 1;
        pthread_mutex_unlock(&job->objref->lock);
    }
}

int main(void)
{
    struct container *container = calloc(1, sizeof *container);
    for (;;) {
        pthread_t thread;
        struct job *job = calloc(1, sizeof *job);
        job->objref = container;
        pthread_create(&thread, 0, run, job);
    }
}
