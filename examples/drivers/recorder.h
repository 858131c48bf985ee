/*
 * A flight recorder: the last events of a driver, in a ring that all threads write without a lock.
 * Whoever looks at it after a failure takes the records in the order of their numbers.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "kernel.h"

#define RECORDS 64

struct record {
    long number;
    long before; /* the record that was overwritten */
    unsigned event;
    unsigned line;
    int argument;
    int overtaken;
    const char *routine;
    const void *device;
};

struct recorder {
    unsigned mask; /* of the events to be recorded */
    long next;
    long overwritten; /* by somebody who was overtaken */
    struct record ring[RECORDS];
};

static inline void recorder_init(struct recorder *recorder) {
    recorder->mask = ~0u;
}

static inline void recorder_note(struct recorder *recorder, unsigned event, int argument,
                                 unsigned line, const char *routine, const void *device) {
    struct record *record;
    long number, before;

    if (!(__atomic_load_n(&recorder->mask, __ATOMIC_SEQ_CST) & 1u << event))
        return;
    number = interlocked_increment(&recorder->next);
    record = &recorder->ring[number % RECORDS];
    before = interlocked_exchange(&record->number, number);
    if (before > number)
        interlocked_increment(&recorder->overwritten);
    __atomic_store_n(&record->before, before, __ATOMIC_SEQ_CST);
    __atomic_store_n(&record->overtaken, before > number, __ATOMIC_SEQ_CST);
    __atomic_store_n(&record->event, event, __ATOMIC_SEQ_CST);
    __atomic_store_n(&record->argument, argument, __ATOMIC_SEQ_CST);
    __atomic_store_n(&record->line, line, __ATOMIC_SEQ_CST);
    __atomic_store_n(&record->routine, routine, __ATOMIC_SEQ_CST);
    __atomic_store_n(&record->device, device, __ATOMIC_SEQ_CST);
}

#endif
