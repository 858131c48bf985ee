/*
 * The part of a kernel that the drivers of this folder stand on: lists, spin locks, interlocked
 * operations, events, remove locks, work items, and requests that are queued, cancelled and
 * completed.
 *
 * The rule that is checked: once a driver has completed a request, the request belongs to whoever
 * sent it and may be gone. So each accessor first asserts that the request is not completed.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "verifier.h"

enum status {
    STATUS_SUCCESS = 0,
    STATUS_PENDING = 259,
    STATUS_CANCELLED = -1,
    STATUS_TIMEOUT = -2,
    STATUS_INVALID_PARAMETER = -3,
    STATUS_DEVICE_NOT_READY = -4,
    STATUS_DELETE_PENDING = -5,
    STATUS_IO_DEVICE_ERROR = -6,
};

/* ---- doubly linked lists through embedded entries ---- */

struct list_entry {
    struct list_entry *next;
    struct list_entry *prev;
};

#define container_of(entry, type, member) ((type *)((char *)(entry) - offsetof(type, member)))

static inline void list_init(struct list_entry *head) {
    head->next = head;
    head->prev = head;
}

static inline int list_empty(struct list_entry *head) {
    return head->next == head;
}

static inline void list_add_tail(struct list_entry *head, struct list_entry *entry) {
    struct list_entry *last = head->prev;
    entry->next = head;
    entry->prev = last;
    last->next = entry;
    head->prev = entry;
}

/* Leaves the entry pointing at itself, so that removing it again does no harm. */
static inline void list_remove(struct list_entry *entry) {
    entry->prev->next = entry->next;
    entry->next->prev = entry->prev;
    list_init(entry);
}

static inline struct list_entry *list_remove_head(struct list_entry *head) {
    struct list_entry *first = head->next;
    list_remove(first);
    return first;
}

/* ---- locks, interlocked operations, events ---- */

struct spin_lock {
    pthread_mutex_t mutex;
};

static inline void spin_lock_init(struct spin_lock *lock) {
    pthread_mutex_init(&lock->mutex, 0);
}

static inline void spin_lock(struct spin_lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}

static inline void spin_unlock(struct spin_lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

static inline long interlocked_increment(long *counter) {
    return __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

static inline long interlocked_decrement(long *counter) {
    return __atomic_sub_fetch(counter, 1, __ATOMIC_SEQ_CST);
}

static inline long interlocked_exchange(long *target, long value) {
    return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}

static inline long interlocked_read(long *target) {
    return __atomic_load_n(target, __ATOMIC_SEQ_CST);
}

struct event {
    long signalled;
};

static inline void event_set(struct event *event) {
    interlocked_exchange(&event->signalled, 1);
}

static inline void __VERIFIER_atomic_event_wait(struct event *event) {
    __VERIFIER_assume(event->signalled);
}

/* ---- remove locks: references that hold up the removal of a device ---- */

struct remove_lock {
    long references; /* one for the device itself, one for each user */
    long removing;
    struct event drained;
};

static inline void remove_lock_init(struct remove_lock *lock) {
    lock->references = 1;
    lock->removing = 0;
    lock->drained.signalled = 0;
}

static inline void remove_lock_release(struct remove_lock *lock) {
    if (interlocked_decrement(&lock->references) == 0)
        event_set(&lock->drained);
}

/* Fails once the removal has begun. */
static inline int remove_lock_acquire(struct remove_lock *lock) {
    interlocked_increment(&lock->references);
    if (interlocked_read(&lock->removing)) {
        remove_lock_release(lock);
        return 0;
    }
    return 1;
}

/* Drops the device's own reference, and waits until nobody has one. */
static inline void remove_lock_drain(struct remove_lock *lock) {
    remove_lock_release(lock);
    __VERIFIER_atomic_event_wait(&lock->drained);
}

/* ---- work items ---- */

struct work_item {
    long queued;
    void (*routine)(void *context);
    void *context;
};

static inline void work_init(struct work_item *work, void (*routine)(void *), void *context) {
    work->queued = 0;
    work->routine = routine;
    work->context = context;
}

/* Fails if it is queued already. */
static inline int work_queue(struct work_item *work) {
    return !interlocked_exchange(&work->queued, 1);
}

/* Takes it out of the queue; fails if it is not there. It may be running. */
static inline int work_take_back(struct work_item *work) {
    return interlocked_exchange(&work->queued, 0);
}

/* What the system's worker thread does. */
static inline void work_run(struct work_item *work) {
    if (interlocked_exchange(&work->queued, 0))
        work->routine(work->context);
}

/* ---- requests ---- */

enum major_function { MAJOR_READ, MAJOR_WRITE, MAJOR_CONTROL };

/* What the sender asks for. */
struct request_parameters {
    enum major_function major;
    unsigned code;
    unsigned length;
    unsigned offset;
};

struct request {
    struct list_entry link; /* for whoever has the request queued */
    struct request_parameters parameters;
    unsigned char *buffer;
    enum status status;
    unsigned information; /* how many bytes were moved */
    int pending;          /* the dispatch routine has returned STATUS_PENDING */
    int boost;            /* the priority that the sender's thread gains at completion */
    int completed;
    void *context; /* what the driver keeps for this request */

    struct spin_lock cancel_lock; /* protects the next two */
    int cancel;
    void (*cancel_routine)(struct request *);
};

static inline void request_init(struct request *request, enum major_function major,
                                unsigned char *buffer, unsigned length, void *context) {
    list_init(&request->link);
    request->parameters.major = major;
    request->parameters.code = 0;
    request->parameters.length = length;
    request->parameters.offset = 0;
    request->buffer = buffer;
    request->status = STATUS_SUCCESS;
    request->information = 0;
    request->pending = 0;
    request->boost = 0;
    request->completed = 0;
    request->context = context;
    spin_lock_init(&request->cancel_lock);
    request->cancel = 0;
    request->cancel_routine = 0;
}

static inline struct request *request_touch(struct request *request) {
    assert(!request->completed);
    return request;
}

static inline void *request_context(struct request *request) {
    return request_touch(request)->context;
}

static inline struct request_parameters *request_parameters(struct request *request) {
    return &request_touch(request)->parameters;
}

static inline unsigned char *request_buffer(struct request *request) {
    return request_touch(request)->buffer;
}

static inline void request_mark_pending(struct request *request) {
    request_touch(request)->pending = 1;
}

/* From here on a cancellation calls the routine. Fails if the request is cancelled already. */
static inline int request_mark_cancelable(struct request *request,
                                          void (*routine)(struct request *)) {
    int accepted;
    request_touch(request);
    spin_lock(&request->cancel_lock);
    accepted = !request->cancel;
    if (accepted)
        request->cancel_routine = routine;
    spin_unlock(&request->cancel_lock);
    return accepted;
}

/* Takes the routine back. Fails if a cancellation has called it, or is about to. */
static inline int request_unmark_cancelable(struct request *request) {
    int regained;
    request_touch(request);
    spin_lock(&request->cancel_lock);
    regained = request->cancel_routine != 0;
    request->cancel_routine = 0;
    spin_unlock(&request->cancel_lock);
    return regained;
}

static inline void request_complete(struct request *request, enum status status,
                                    unsigned information, int boost) {
    request_touch(request);
    request->status = status;
    request->information = information;
    request->boost = boost;
    spin_lock(&request->cancel_lock);
    request->cancel_routine = 0;
    spin_unlock(&request->cancel_lock);
    request->completed = 1;
}

/* What the sender's side does to cancel: it may look at the request's cancel state at any time. */
static inline void request_cancel(struct request *request) {
    void (*routine)(struct request *);
    spin_lock(&request->cancel_lock);
    request->cancel = 1;
    routine = request->cancel_routine;
    request->cancel_routine = 0;
    spin_unlock(&request->cancel_lock);
    if (routine)
        routine(request);
}

#endif
