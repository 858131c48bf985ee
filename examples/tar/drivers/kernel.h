/*
 * The part of a kernel that the drivers of this folder stand on: spin locks, interrupts that can be
 * turned off, and counters that change at once. There is one processor as far as interrupts go:
 * turning them off is a lock that the interrupt's code holds while it runs.
 */
#ifndef TAR_KERNEL_H
#define TAR_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

#define EBUSY 16
#define ENODEV 19
#define EINVAL 22
#define ENOSPC 28
#define EAGAIN 11

typedef struct {
    pthread_mutex_t mutex;
} spinlock_t;

#define SPIN_LOCK_UNLOCKED { PTHREAD_MUTEX_INITIALIZER }

static pthread_mutex_t interrupts = PTHREAD_MUTEX_INITIALIZER;

static inline void spin_lock(spinlock_t *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

static inline void spin_unlock(spinlock_t *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

static inline void local_irq_disable(void)
{
    pthread_mutex_lock(&interrupts);
}

static inline void local_irq_enable(void)
{
    pthread_mutex_unlock(&interrupts);
}

static inline void spin_lock_irq(spinlock_t *lock)
{
    local_irq_disable();
    spin_lock(lock);
}

static inline void spin_unlock_irq(spinlock_t *lock)
{
    spin_unlock(lock);
    local_irq_enable();
}

/* An interrupt's code runs between these two. */
static inline void irq_enter(void)
{
    pthread_mutex_lock(&interrupts);
}

static inline void irq_exit(void)
{
    pthread_mutex_unlock(&interrupts);
}

/* Somebody sleeps until something is done; one waits at a time. */
struct completion {
    atomic_int done;
};

static inline void complete(struct completion *completion)
{
    atomic_store(&completion->done, 1);
}

static inline void wait_for_completion(struct completion *completion)
{
    while (!atomic_load(&completion->done))
        ;
    atomic_store(&completion->done, 0);
}

/* Starts one more thread that runs the function; nobody waits for it. */
static pthread_t started;

static inline void start(void *(*function)(void *))
{
    pthread_create(&started, 0, function, 0);
}

#endif
