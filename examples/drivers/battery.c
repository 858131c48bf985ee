/*
 * A battery behind an embedded controller. Clients ask for the battery's tag and data, which are
 * answered at once, and for its status, which waits until a work item has asked the controller.
 * The device can be removed at any time.
 *
 * Threads   dispatch   battery_dispatch, for a query of the status
 *           cancel     the sender cancels the query of the status: battery_cancel_status
 *           worker     runs the work item when it is queued: battery_poll
 *           remove     battery_remove
 *
 * The removal is held up by references: the remove lock counts the routines and requests that still
 * use the device, and battery_remove deletes the device when the count is 0. Each routine asserts
 * that the device is not deleted (battery_extension), and each access to a request that the request
 * is not completed.
 *
 * The bug   The work item has no reference of its own. battery_remove takes the work item out of
 *           its queue, but one that runs already is not waited for.
 * Schedule  dispatch   queues the query of the status and the work item
 *           worker     takes the work item out of its queue
 *           remove     finds no work item queued, completes the query, deletes the device
 *           worker     battery_poll uses the deleted device
 *           These three switches are needed: before dispatch there is no work item, and before the
 *           worker's first step battery_remove takes it back. With more switches the worker may be
 *           anywhere in battery_poll when the device is deleted, and the query may be completed by
 *           the worker itself or by its cancel routine.
 * The cure  (FIXED) Queueing the work item takes a reference, which is dropped when the work item
 *           has run or is taken back.
 *
 *     selvedge verify examples/drivers/battery.c              UNSAFE
 *     selvedge verify examples/drivers/battery_fixed.c        SAFE
 *
 * With RECORDER the driver keeps a flight recorder, whose events come from all threads at any time
 * and have nothing to do with requests or the removal (battery_recorder.c).
 *
 * 792 lines, 125 fields in 21 structs (with those of kernel.h that it uses); with RECORDER 137.
 */
#include <stdlib.h>

#include "battery_events.h"
#include "kernel.h"

#ifndef FIXED
#define FIXED 0
#endif

#define HISTORY 2
#define NO_TAG 0

enum control_code { QUERY_TAG = 1, QUERY_INFORMATION, QUERY_STATUS };
enum pnp_state { PNP_STARTED, PNP_REMOVE_PENDING, PNP_REMOVED };
enum power_state { POWER_D0, POWER_D3 };
enum { BATTERY_ONLINE = 1, BATTERY_DISCHARGING = 2, BATTERY_CHARGING = 4, BATTERY_CRITICAL = 8 };
enum { CAPABILITY_SYSTEM_BATTERY = 1, CAPABILITY_RELATIVE = 2 };
enum charge_phase { CHARGE_OFF, CHARGE_PRE, CHARGE_CURRENT, CHARGE_VOLTAGE, CHARGE_FULL };

/* Registers of the battery as the embedded controller numbers them. */
enum ec_register {
    EC_FLAGS,
    EC_CAPACITY,
    EC_VOLTAGE,
    EC_RATE,
    EC_TEMPERATURE,
    EC_REGISTERS,
};
enum { EC_COMMAND_READ = 0x80, EC_COMMAND_BURST_OFF = 0x83 };
enum { EC_STATUS_OUTPUT_FULL = 1, EC_STATUS_INPUT_FULL = 2, EC_STATUS_BURST = 16 };
enum { EC_FLAG_ON_MAINS = 1, EC_FLAG_PRESENT = 2 };

/* ---- the structures ---- */

/* The embedded controller as the hardware shows it. */
struct ec_port {
    unsigned char command;
    unsigned char data;
    unsigned char status;
    unsigned char bank[EC_REGISTERS];
};

/* The way to the embedded controller: one transaction at a time. */
struct ec_transport {
    struct spin_lock lock; /* protects everything below */
    struct ec_port port;
    int powered;
    unsigned char address;
    unsigned transactions;
    unsigned failures;
    unsigned bursts;
    unsigned last_failure;
};

/* What does not change while the battery stays in. */
struct battery_information {
    unsigned capabilities;
    unsigned char technology;
    unsigned char chemistry[4];
    unsigned designed_capacity;
    unsigned full_capacity;
    unsigned warning_level;
    unsigned low_level;
    unsigned critical_bias;
    unsigned cycle_count;
    unsigned serial_number;
    unsigned char day, month;
    unsigned year;
};

struct battery_status {
    unsigned flags;
    unsigned capacity;
    unsigned voltage;
    int rate;
    unsigned temperature;
};

/* From what the controller counts to physical units. */
struct gauge {
    unsigned capacity_unit;
    unsigned voltage_unit;
    int rate_unit;
    int rate_offset;
    unsigned learned_capacity;
    unsigned charge_passed;
};

struct charger {
    enum charge_phase phase;
    unsigned current_limit;
    unsigned voltage_limit;
    unsigned precharge_below;
    unsigned taper_current;
    unsigned current;
    unsigned changes;
};

struct thermal {
    unsigned passive_trip;
    unsigned critical_trip;
    unsigned hysteresis;
    int throttled;
    unsigned hottest;
};

struct power {
    enum power_state state;
    enum power_state requested;
    int wake_enabled;
    unsigned idle_ticks;
};

struct sample {
    unsigned tick;
    unsigned capacity;
};

struct history {
    struct sample samples[HISTORY];
    unsigned next;
    unsigned taken;
};

struct statistics {
    unsigned refused;
    unsigned answered_at_once;
    unsigned status_waiting_most;
    unsigned status_answered;
    unsigned status_cancelled;
    unsigned status_removed;
    unsigned polls;
    unsigned polls_without_request;
    unsigned polls_failed;
    unsigned notifications;
};

struct battery_device {
    struct remove_lock remove_lock;
#if RECORDER
    struct recorder recorder;
#endif
    int deleted;
    struct ec_transport transport;
    struct work_item poll;

    struct spin_lock lock; /* protects everything below */
    struct list_entry status_requests;
    unsigned status_waiting;
    unsigned tag;
    unsigned next_tag;
    struct battery_information information;
    struct battery_status status;
    int status_valid;
    struct gauge gauge;
    struct charger charger;
    struct thermal thermal;
    struct power power;
    struct history history;
    struct statistics statistics;
    enum pnp_state pnp;
    enum pnp_state previous_pnp;
    unsigned clock;
    unsigned poll_interval;
    unsigned next_poll;
};

enum query_state { QUERY_DISPATCHED, QUERY_WAITING, QUERY_TAKEN };

/* What the driver keeps for a query; protected by the device's lock. */
struct query_context {
    struct battery_device *device;
    enum query_state state;
    unsigned tag;
    unsigned asked_at;
};

/* ---- removal ---- */

static struct battery_device *battery_extension(struct battery_device *device) {
    assert(!device->deleted);
    return device;
}

static void battery_lock(struct battery_device *device) {
    note(device, NOTED_WAIT, 0);
    spin_lock(&battery_extension(device)->lock);
    note(device, NOTED_LOCK, 0);
}

static void battery_unlock(struct battery_device *device) {
    note(device, NOTED_UNLOCK, 0);
    spin_unlock(&device->lock);
}

/* ---- the work item ---- */

static void battery_queue_poll(struct battery_device *device) {
    note(device, NOTED_QUEUE, 0);
#if FIXED
    if (!remove_lock_acquire(&device->remove_lock))
        return;
    if (!work_queue(&device->poll))
        remove_lock_release(&device->remove_lock);
#else
    work_queue(&device->poll);
#endif
}

static void battery_take_back_poll(struct battery_device *device) {
    note(device, NOTED_TAKE_BACK, 0);
#if FIXED
    if (work_take_back(&device->poll))
        remove_lock_release(&device->remove_lock);
#else
    work_take_back(&device->poll);
#endif
}

/* ---- the embedded controller ---- */

/* The hardware's side: the command is carried out. */
static void ec_work(struct ec_port *port) {
    if (!(port->status & EC_STATUS_INPUT_FULL))
        return;
    port->status &= (unsigned char)~EC_STATUS_INPUT_FULL;
    if (port->command == EC_COMMAND_READ && port->data < EC_REGISTERS) {
        port->data = port->bank[port->data];
        port->status |= EC_STATUS_OUTPUT_FULL;
    }
}

/* The transport's lock is held. */
static int ec_read(struct ec_transport *transport, enum ec_register address, unsigned *value) {
    struct ec_port *port = &transport->port;

    transport->transactions++;
    transport->address = (unsigned char)address;
    if (!transport->powered) {
        transport->failures++;
        transport->last_failure = address;
        return 0;
    }
    port->command = EC_COMMAND_READ;
    port->data = transport->address;
    port->status |= EC_STATUS_INPUT_FULL;
    ec_work(port);
    if (!(port->status & EC_STATUS_OUTPUT_FULL)) {
        transport->failures++;
        transport->last_failure = address;
        return 0;
    }
    port->status &= (unsigned char)~EC_STATUS_OUTPUT_FULL;
    *value = port->data;
    return 1;
}

/* What the controller says, before the gauge has made units of it. */
struct reading {
    unsigned flags;
    unsigned capacity;
    unsigned voltage;
    unsigned rate;
    unsigned temperature;
};

/* Reads the battery's registers in one burst: slow, so only the transport's lock is held. */
static int battery_read_controller(struct battery_device *device, struct reading *reading) {
    struct ec_transport *transport = &battery_extension(device)->transport;
    int good;

    note(device, NOTED_READ, EC_REGISTERS);
    spin_lock(&transport->lock);
    transport->port.status |= EC_STATUS_BURST;
    transport->bursts++;
    good = ec_read(transport, EC_FLAGS, &reading->flags) &&
           ec_read(transport, EC_CAPACITY, &reading->capacity) &&
           ec_read(transport, EC_VOLTAGE, &reading->voltage) &&
           ec_read(transport, EC_RATE, &reading->rate) &&
           ec_read(transport, EC_TEMPERATURE, &reading->temperature);
    transport->port.command = EC_COMMAND_BURST_OFF;
    transport->port.status &= (unsigned char)~EC_STATUS_BURST;
    spin_unlock(&transport->lock);
    return good;
}

/* ---- what a reading means; the device's lock is held ---- */

static void gauge_convert(struct battery_device *device, const struct reading *reading) {
    struct gauge *gauge = &device->gauge;
    struct battery_status *status = &device->status;
    int rate = (int)reading->rate * gauge->rate_unit - gauge->rate_offset;

    status->flags = reading->flags & EC_FLAG_ON_MAINS ? BATTERY_ONLINE : 0;
    if (rate < 0)
        status->flags |= BATTERY_DISCHARGING;
    if (rate > 0)
        status->flags |= BATTERY_CHARGING;
    status->capacity = reading->capacity * gauge->capacity_unit;
    status->voltage = reading->voltage * gauge->voltage_unit;
    status->rate = rate;
    status->temperature = reading->temperature;
    if (status->capacity <= device->information.critical_bias)
        status->flags |= BATTERY_CRITICAL;
    if (rate > 0)
        gauge->charge_passed += (unsigned)rate;
    if (status->capacity > gauge->learned_capacity)
        gauge->learned_capacity = status->capacity;
}

static enum charge_phase charger_phase(const struct battery_device *device) {
    const struct battery_status *status = &device->status;
    const struct charger *charger = &device->charger;

    if (!(status->flags & BATTERY_ONLINE) || device->thermal.throttled)
        return CHARGE_OFF;
    if (status->capacity >= device->information.full_capacity)
        return CHARGE_FULL;
    if (status->capacity < charger->precharge_below)
        return CHARGE_PRE;
    return status->voltage < charger->voltage_limit ? CHARGE_CURRENT : CHARGE_VOLTAGE;
}

static void charger_step(struct battery_device *device) {
    struct charger *charger = &device->charger;
    enum charge_phase phase = charger_phase(device);

    if (phase != charger->phase)
        charger->changes++;
    if (phase == CHARGE_FULL && charger->phase != CHARGE_FULL)
        device->information.cycle_count++;
    charger->phase = phase;
    if (phase == CHARGE_PRE)
        charger->current = charger->current_limit / 4;
    else if (phase == CHARGE_CURRENT)
        charger->current = charger->current_limit;
    else if (phase == CHARGE_VOLTAGE)
        charger->current = charger->taper_current;
    else
        charger->current = 0;
}

static void thermal_step(struct battery_device *device) {
    struct thermal *thermal = &device->thermal;
    unsigned temperature = device->status.temperature;

    if (temperature > thermal->hottest)
        thermal->hottest = temperature;
    if (temperature >= thermal->passive_trip)
        thermal->throttled = 1;
    else if (temperature + thermal->hysteresis < thermal->passive_trip)
        thermal->throttled = 0;
    if (temperature >= thermal->critical_trip)
        device->power.requested = POWER_D3;
}

static void history_add(struct battery_device *device) {
    struct history *history = &device->history;
    struct sample *sample = &history->samples[history->next];

    sample->tick = device->clock;
    sample->capacity = device->status.capacity;
    history->next = (history->next + 1) % HISTORY;
    history->taken++;
}

/* Tells the system when the battery crosses one of its levels. */
static void battery_notify(struct battery_device *device, unsigned before) {
    unsigned now = device->status.capacity;

    if ((before > device->information.warning_level && now <= device->information.warning_level) ||
        (before > device->information.low_level && now <= device->information.low_level))
        device->statistics.notifications++;
}

static void battery_update(struct battery_device *device, const struct reading *reading) {
    unsigned before = device->status.capacity;

    note(device, NOTED_UPDATE, (int)reading->capacity);
    if (!(reading->flags & EC_FLAG_PRESENT)) {
        device->tag = NO_TAG;
        device->status_valid = 0;
        return;
    }
    if (device->tag == NO_TAG)
        device->tag = device->next_tag++;
    gauge_convert(device, reading);
    thermal_step(device);
    charger_step(device);
    history_add(device);
    battery_notify(device, before);
    device->status_valid = 1;
    device->next_poll = device->clock + device->poll_interval;
}

/* ---- queries of the status ---- */

/* The request's reference goes last: the device may be deleted after it. */
static void battery_complete_status(struct battery_device *device, struct request *request,
                                    enum status status, unsigned information) {
    note(device, NOTED_COMPLETE, status);
    request_complete(request, status, information, status == STATUS_SUCCESS);
    remove_lock_release(&battery_extension(device)->remove_lock);
}

/* Called without locks, once. Nobody else completes the request from now on. */
static void battery_cancel_status(struct request *request) {
    struct query_context *context = request_context(request);
    struct battery_device *device = context->device;

    note(device, NOTED_CANCEL, 0);
    battery_lock(device);
    if (context->state == QUERY_WAITING) {
        list_remove(&request_touch(request)->link);
        device->status_waiting--;
    }
    context->state = QUERY_TAKEN;
    device->statistics.status_cancelled++;
    battery_unlock(device);
    battery_complete_status(device, request, STATUS_CANCELLED, 0);
}

/*
 * Takes the first waiting query out of the list. Gives 0 if there is none, or if the one that was
 * there is being cancelled. The device's lock is held.
 */
static struct request *battery_take_status(struct battery_device *device) {
    struct request *request;
    struct query_context *context;

    note(device, NOTED_TAKE, 0);
    if (list_empty(&device->status_requests))
        return 0;
    request = container_of(list_remove_head(&device->status_requests), struct request, link);
    context = request_context(request);
    context->state = QUERY_TAKEN;
    device->status_waiting--;
    return request_unmark_cancelable(request) ? request : 0;
}

/* Gives the answer; the device's lock is held. */
static enum status battery_fill_status(struct battery_device *device, struct request *request) {
    struct query_context *context = request_context(request);
    unsigned char *buffer = request_buffer(request);

    note(device, NOTED_ANSWER, (int)context->tag);
    if (!device->status_valid || context->tag != device->tag)
        return STATUS_DEVICE_NOT_READY;
    buffer[0] = (unsigned char)device->status.flags;
    buffer[1] = (unsigned char)device->status.capacity;
    return STATUS_SUCCESS;
}

/* The work item. */
static void battery_poll(void *argument) {
    struct battery_device *device = battery_extension(argument);
    struct request *request;
    struct reading reading;
    enum status status = STATUS_IO_DEVICE_ERROR;
    int good = battery_read_controller(device, &reading);

    note(device, NOTED_POLL, good);
    battery_lock(device);
    device->clock++;
    device->power.idle_ticks = 0;
    device->statistics.polls++;
    if (good)
        battery_update(device, &reading);
    else
        device->statistics.polls_failed++;
    request = battery_take_status(device);
    if (request) {
        if (good)
            status = battery_fill_status(device, request);
        device->statistics.status_answered++;
    } else {
        device->statistics.polls_without_request++;
    }
    battery_unlock(device);
    if (request)
        battery_complete_status(device, request, status, status == STATUS_SUCCESS ? 2 : 0);
#if FIXED
    remove_lock_release(&device->remove_lock);
#endif
}

/* ---- dispatch ---- */

static enum status battery_query_tag(struct battery_device *device, struct request *request) {
    enum status status = STATUS_SUCCESS;

    battery_lock(device);
    if (device->tag == NO_TAG) {
        status = STATUS_DEVICE_NOT_READY;
        device->statistics.refused++;
    } else {
        request_buffer(request)[0] = (unsigned char)device->tag;
        device->statistics.answered_at_once++;
    }
    battery_unlock(device);
    request_complete(request, status, status == STATUS_SUCCESS, 0);
    return status;
}

static enum status battery_query_information(struct battery_device *device,
                                             struct request *request) {
    const struct battery_information *information = &device->information;
    unsigned char *buffer = request_buffer(request);

    battery_lock(device);
    buffer[0] = information->technology;
    buffer[1] = (unsigned char)(information->full_capacity * 100 / information->designed_capacity);
    device->statistics.answered_at_once++;
    battery_unlock(device);
    request_complete(request, STATUS_SUCCESS, 2, 0);
    return STATUS_SUCCESS;
}

/* The query waits, and has a reference of its own until it is completed. */
static enum status battery_query_status(struct battery_device *device, struct request *request) {
    struct query_context *context = request_context(request);

    if (!remove_lock_acquire(&device->remove_lock)) {
        request_complete(request, STATUS_DELETE_PENDING, 0, 0);
        return STATUS_DELETE_PENDING;
    }
    note(device, NOTED_QUERY, 0);
    battery_lock(device);
    context->device = device;
    context->tag = device->tag;
    context->asked_at = device->clock;
    request_mark_pending(request);
    /* Its cancel routine waits for the lock. */
    if (device->pnp != PNP_STARTED || device->power.state != POWER_D0 ||
        !request_mark_cancelable(request, battery_cancel_status)) {
        device->statistics.refused++;
        battery_unlock(device);
        battery_complete_status(device, request, STATUS_CANCELLED, 0);
        return STATUS_CANCELLED;
    }
    context->state = QUERY_WAITING;
    list_add_tail(&device->status_requests, &request->link);
    device->status_waiting++;
    if (device->status_waiting > device->statistics.status_waiting_most)
        device->statistics.status_waiting_most = device->status_waiting;
    battery_queue_poll(device);
    battery_unlock(device);
    return STATUS_PENDING;
}

static enum status battery_control(struct battery_device *device, struct request *request) {
    switch (request_parameters(request)->code) {
    case QUERY_TAG:
        return battery_query_tag(device, request);
    case QUERY_INFORMATION:
        return battery_query_information(device, request);
    case QUERY_STATUS:
        return battery_query_status(device, request);
    default:
        request_complete(request, STATUS_INVALID_PARAMETER, 0, 0);
        return STATUS_INVALID_PARAMETER;
    }
}

/* The routine itself has a reference as long as it runs. */
static enum status battery_dispatch(struct battery_device *device, struct request *request) {
    enum status status;

    if (!remove_lock_acquire(&device->remove_lock)) {
        request_complete(request, STATUS_DELETE_PENDING, 0, 0);
        return STATUS_DELETE_PENDING;
    }
    note(device, NOTED_DISPATCH, 0);
    status = battery_control(device, request);
    remove_lock_release(&battery_extension(device)->remove_lock);
    return status;
}

/* ---- plug and play ---- */

static void battery_announce_removal(struct battery_device *device) {
    interlocked_exchange(&device->remove_lock.removing, 1);
    battery_lock(device);
    device->previous_pnp = device->pnp;
    device->pnp = PNP_REMOVE_PENDING;
    battery_unlock(device);
}

/* Completes what waits. A query that is being cancelled is completed by its cancel routine. */
static void battery_flush_status(struct battery_device *device) {
    struct request *request;
    int more = 1;

    note(device, NOTED_FLUSH, 0);
    while (more) {
        battery_lock(device);
        request = battery_take_status(device);
        if (request)
            device->statistics.status_removed++;
        more = !list_empty(&device->status_requests);
        battery_unlock(device);
        if (request)
            battery_complete_status(device, request, STATUS_DELETE_PENDING, 0);
    }
}

static void battery_power_off(struct battery_device *device) {
    note(device, NOTED_POWER, POWER_D3);
    spin_lock(&device->transport.lock);
    device->transport.powered = 0;
    spin_unlock(&device->transport.lock);
    battery_lock(device);
    device->power.requested = POWER_D3;
    device->power.state = POWER_D3;
    device->power.wake_enabled = 0;
    device->charger.phase = CHARGE_OFF;
    device->charger.current = 0;
    device->previous_pnp = device->pnp;
    device->pnp = PNP_REMOVED;
    battery_unlock(device);
}

static void battery_remove(struct battery_device *device) {
    note(device, NOTED_REMOVE, 0);
    battery_announce_removal(device);
    battery_take_back_poll(device);
    battery_flush_status(device);
    remove_lock_drain(&device->remove_lock);
    battery_power_off(device);
    device->deleted = 1;
}

static void battery_read_information(struct battery_information *information) {
    information->capabilities = CAPABILITY_SYSTEM_BATTERY;
    information->technology = 1;
    information->chemistry[0] = 'L';
    information->chemistry[1] = 'i';
    information->chemistry[2] = 'P';
    information->designed_capacity = 200;
    information->full_capacity = 180;
    information->warning_level = 40;
    information->low_level = 20;
    information->critical_bias = 4;
    information->serial_number = 4711;
    information->day = 1;
    information->month = 4;
    information->year = 2009;
}

static void battery_set_limits(struct battery_device *device) {
    device->gauge.capacity_unit = 2;
    device->gauge.voltage_unit = 100;
    device->gauge.rate_unit = 10;
    device->gauge.rate_offset = 100;
    device->charger.current_limit = 2000;
    device->charger.voltage_limit = 12600;
    device->charger.precharge_below = 10;
    device->charger.taper_current = 400;
    device->thermal.passive_trip = 55;
    device->thermal.critical_trip = 70;
    device->thermal.hysteresis = 5;
    device->poll_interval = 30;
    if (!(device->information.capabilities & CAPABILITY_RELATIVE))
        device->gauge.learned_capacity = device->information.full_capacity;
}

static void battery_start(struct battery_device *device) {
    remove_lock_init(&device->remove_lock);
    spin_lock_init(&device->lock);
    spin_lock_init(&device->transport.lock);
    list_init(&device->status_requests);
    work_init(&device->poll, battery_poll, device);
    battery_read_information(&device->information);
    battery_set_limits(device);
#if RECORDER
    recorder_init(&device->recorder);
#endif
    device->transport.powered = 1;
    device->tag = 1;
    device->next_tag = 2;
    device->power.state = POWER_D0;
    device->power.wake_enabled = 1;
    device->pnp = PNP_STARTED;
}

/* ---- the harness ---- */

static struct battery_device *battery;
static struct request tag_request, information_request, status_request;
static struct query_context status_context;
static unsigned char tag_buffer[1], information_buffer[2], status_buffer[2];

/* The hardware: a battery that is charged or discharged. */
static void ec_plug(struct ec_port *port, int on_mains) {
    port->bank[EC_FLAGS] = EC_FLAG_PRESENT | (on_mains ? EC_FLAG_ON_MAINS : 0);
    port->bank[EC_CAPACITY] = 50;
    port->bank[EC_VOLTAGE] = 115;
    port->bank[EC_RATE] = on_mains ? 14 : 6;
    port->bank[EC_TEMPERATURE] = 31;
}

static void battery_ask(struct request *request, enum control_code code, unsigned char *buffer,
                        unsigned length) {
    request_init(request, MAJOR_CONTROL, buffer, length, 0);
    request->parameters.code = code;
}

static void *dispatch_thread(void *unused) {
    (void)unused;
    battery_dispatch(battery, &status_request);
    return 0;
}

static void *cancel_thread(void *unused) {
    (void)unused;
    request_cancel(&status_request);
    return 0;
}

static void *worker_thread(void *unused) {
    (void)unused;
    work_run(&battery->poll);
    return 0;
}

static void *remove_thread(void *unused) {
    (void)unused;
    battery_remove(battery);
    return 0;
}

int main(void) {
    pthread_t dispatch, cancel, worker, remove;

    battery = calloc(1, sizeof *battery);
    battery_start(battery);
    ec_plug(&battery->transport.port, __VERIFIER_nondet_bool());
    battery_ask(&tag_request, QUERY_TAG, tag_buffer, sizeof tag_buffer);
    battery_dispatch(battery, &tag_request);
    battery_ask(&information_request, QUERY_INFORMATION, information_buffer,
                sizeof information_buffer);
    battery_dispatch(battery, &information_request);
    battery_ask(&status_request, QUERY_STATUS, status_buffer, sizeof status_buffer);
    status_request.context = &status_context;

    pthread_create(&dispatch, 0, dispatch_thread, 0);
    pthread_create(&cancel, 0, cancel_thread, 0);
    pthread_create(&worker, 0, worker_thread, 0);
    pthread_create(&remove, 0, remove_thread, 0);
    pthread_join(dispatch, 0);
    pthread_join(cancel, 0);
    pthread_join(worker, 0);
    pthread_join(remove, 0);
    free(battery);
    return 0;
}
