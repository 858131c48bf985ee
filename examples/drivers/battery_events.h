/* The battery's events, and how they get into the flight recorder, if there is one. */
#ifndef BATTERY_EVENTS_H
#define BATTERY_EVENTS_H

#include "recorder.h"

enum battery_event {
    NOTED_DISPATCH,
    NOTED_QUERY,
    NOTED_CANCEL,
    NOTED_ANSWER,
    NOTED_COMPLETE,
    NOTED_QUEUE,
    NOTED_TAKE_BACK,
    NOTED_POLL,
    NOTED_READ,
    NOTED_UPDATE,
    NOTED_TAKE,
    NOTED_REMOVE,
    NOTED_FLUSH,
    NOTED_POWER,
    NOTED_WAIT,
    NOTED_LOCK,
    NOTED_UNLOCK,
};

#if RECORDER
#define note(device, event, argument) \
    recorder_note(&(device)->recorder, event, argument, __LINE__, __func__, device)
#else
#define note(device, event, argument) ((void)0)
#endif

#endif
