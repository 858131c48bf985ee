/*
 * A disk: reads and writes are put in a queue; the controller works on one of them at a time, and
 * interrupts when it is ready.
 *
 * Threads   dispatch   disk_dispatch, for a write and then a read
 *           interrupt  the controller finishes a command, twice: disk_interrupt, then
 *                      disk_finish_dpc, which completes the request and starts the next one
 *           watchdog   a timer runs out: disk_watchdog gives up a command that takes too long
 *
 * The bug   The dispatch routine notes that a request is pending only after it has put it in the
 *           queue and released the lock. By then the deferred routine may have completed it.
 * Schedule  dispatch   disk_dispatch queues and starts the write, and releases the lock
 *           interrupt  the controller is ready, disk_finish_dpc completes the write
 *                      (or watchdog: the write takes too long, disk_watchdog completes it)
 *           dispatch   disk_dispatch marks the completed write as pending
 *           These two switches suffice.
 * The cure  (FIXED) The request is marked before the first other routine can see it.
 *
 *     selvedge verify examples/drivers/disk.c              UNSAFE
 *     selvedge verify examples/drivers/disk_fixed.c        SAFE
 *
 * 436 lines, 79 fields in 10 structs (with those of kernel.h that it uses).
 */
#include "kernel.h"

#ifndef FIXED
#define FIXED 0
#endif

#define SECTORS 4
#define MAX_RETRIES 1
#define COMMAND_TICKS 1

enum opcode { OPCODE_READ = 0x20, OPCODE_WRITE = 0x30, OPCODE_RESET = 0x08 };
enum { STATUS_REGISTER_READY = 0x40, STATUS_REGISTER_BUSY = 0x80, STATUS_REGISTER_ERROR = 0x01 };
enum { INTERRUPT_DONE = 1, INTERRUPT_ERROR = 2 };
enum { ERROR_NONE = 0, ERROR_ABORTED = 0x04, ERROR_NOT_FOUND = 0x10 };
enum { COMMAND_TO_DEVICE = 1, COMMAND_FORCE_ACCESS = 2 };
enum power_state { POWER_WORKING, POWER_STANDBY };
enum device_state { DEVICE_STOPPED, DEVICE_STARTED };

/* The controller as the hardware shows it; the medium has sectors of one byte. */
struct controller {
    unsigned char command;
    unsigned char status;
    unsigned char error;
    unsigned char interrupt_status;
    unsigned char interrupt_mask;
    unsigned char features;
    unsigned char sector_count;
    unsigned lba;
    unsigned char *transfer; /* where the bytes go to or come from */
    unsigned char medium[SECTORS];
    unsigned bad_sector; /* the medium cannot be read or written there */
    unsigned resets;
};

/* What the disk said about itself when it was started. */
struct geometry {
    unsigned sectors;
    unsigned sector_size;
    unsigned cylinders;
    unsigned heads;
    unsigned sectors_per_track;
    int write_protected;
    int write_cache;
};

/* What the controller is told for one request. */
struct command_block {
    enum opcode opcode;
    unsigned char flags;
    unsigned lba;
    unsigned char sectors;
    unsigned tag;
};

struct statistics {
    unsigned reads;
    unsigned writes;
    unsigned rejected;
    unsigned sectors_read;
    unsigned sectors_written;
    unsigned interrupts;
    unsigned spurious_interrupts;
    unsigned commands_started;
    unsigned commands_failed;
    unsigned retries;
    unsigned timeouts;
    unsigned ticks_busy;
    unsigned longest_queue;
};

struct disk_device {
    struct spin_lock lock; /* protects everything below */
    struct controller controller;
    struct geometry geometry;
    struct statistics statistics;
    struct list_entry queue; /* requests that wait for the controller */
    unsigned queue_length;
    unsigned queue_limit;
    struct request *active; /* the request that the controller works on */
    unsigned next_tag;
    unsigned clock;
    unsigned started; /* when the active command was given to the controller */
    unsigned last_error;
    unsigned last_error_lba;
    int timer_running;
    int dpc_queued;
    enum power_state power;
    unsigned idle_since;
    enum device_state state;
};

/* What the driver keeps for a request; protected by the device's lock. */
struct disk_context {
    struct command_block command;
    unsigned queued_at;
    unsigned deadline;
    unsigned retries;
    unsigned transferred;
};

/* ---- the controller: the hardware's side ---- */

static void controller_give(struct controller *controller, const struct command_block *command,
                            unsigned char *buffer) {
    controller->lba = command->lba;
    controller->sector_count = command->sectors;
    controller->features = command->flags & COMMAND_FORCE_ACCESS ? 1 : 0;
    controller->transfer = buffer;
    controller->error = ERROR_NONE;
    controller->status = STATUS_REGISTER_BUSY;
    controller->command = (unsigned char)command->opcode;
}

static void controller_move(struct controller *controller) {
    if (controller->command == OPCODE_WRITE)
        controller->medium[controller->lba] = controller->transfer[0];
    else
        controller->transfer[0] = controller->medium[controller->lba];
}

/* The controller gets to the end of its command and interrupts. */
static void controller_work(struct controller *controller) {
    if (!(controller->status & STATUS_REGISTER_BUSY))
        return;
    controller->status = STATUS_REGISTER_READY;
    if (controller->lba == controller->bad_sector) {
        controller->error = ERROR_NOT_FOUND;
        controller->status |= STATUS_REGISTER_ERROR;
        controller->interrupt_status |= INTERRUPT_ERROR & controller->interrupt_mask;
    } else {
        controller_move(controller);
    }
    controller->interrupt_status |= INTERRUPT_DONE & controller->interrupt_mask;
}

static void controller_reset(struct controller *controller) {
    controller->command = OPCODE_RESET;
    controller->status = STATUS_REGISTER_READY;
    controller->error = ERROR_ABORTED;
    controller->interrupt_status = 0;
    controller->transfer = 0;
    controller->resets++;
}

/* ---- the queue; the device's lock is held ---- */

static void disk_start_next(struct disk_device *device) {
    struct request *request;
    struct disk_context *context;

    if (device->active)
        return;
    if (list_empty(&device->queue)) {
        device->timer_running = 0;
        device->idle_since = device->clock;
        return;
    }
    request = container_of(list_remove_head(&device->queue), struct request, link);
    context = request_context(request);
    device->queue_length--;
    device->active = request;
    device->started = device->clock;
    device->timer_running = 1;
    device->power = POWER_WORKING;
    device->statistics.commands_started++;
    context->deadline = device->clock + COMMAND_TICKS;
    context->command.tag = device->next_tag++;
    controller_give(&device->controller, &context->command, request_buffer(request));
}

static void disk_enqueue(struct disk_device *device, struct request *request) {
    struct disk_context *context = request_context(request);

    context->queued_at = device->clock;
    list_add_tail(&device->queue, &request_touch(request)->link);
    device->queue_length++;
    if (device->queue_length > device->statistics.longest_queue)
        device->statistics.longest_queue = device->queue_length;
}

/* ---- dispatch ---- */

static void disk_build_command(const struct disk_device *device, struct request *request) {
    struct request_parameters *parameters = request_parameters(request);
    struct disk_context *context = request_context(request);

    context->command.lba = parameters->offset / device->geometry.sector_size;
    context->command.sectors =
        (unsigned char)(parameters->length / device->geometry.sector_size);
    context->retries = 0;
    context->transferred = 0;
    if (parameters->major == MAJOR_WRITE) {
        context->command.opcode = OPCODE_WRITE;
        context->command.flags = COMMAND_TO_DEVICE;
        if (!device->geometry.write_cache)
            context->command.flags |= COMMAND_FORCE_ACCESS;
    } else {
        context->command.opcode = OPCODE_READ;
        context->command.flags = 0;
    }
}

static enum status disk_check(struct disk_device *device, struct request *request) {
    struct request_parameters *parameters = request_parameters(request);
    enum status status = STATUS_SUCCESS;

    spin_lock(&device->lock);
    if (device->state != DEVICE_STARTED || device->queue_length >= device->queue_limit)
        status = STATUS_DEVICE_NOT_READY;
    else if (parameters->offset + parameters->length > device->geometry.sectors)
        status = STATUS_INVALID_PARAMETER;
    else if (parameters->major == MAJOR_WRITE && device->geometry.write_protected)
        status = STATUS_INVALID_PARAMETER;
    if (status != STATUS_SUCCESS)
        device->statistics.rejected++;
    else if (parameters->major == MAJOR_WRITE)
        device->statistics.writes++;
    else
        device->statistics.reads++;
    spin_unlock(&device->lock);
    return status;
}

static enum status disk_dispatch(struct disk_device *device, struct request *request) {
    enum status status = disk_check(device, request);

    if (status != STATUS_SUCCESS) {
        request_complete(request, status, 0, 0);
        return status;
    }
    disk_build_command(device, request);
#if FIXED
    request_mark_pending(request);
#endif
    spin_lock(&device->lock);
    disk_enqueue(device, request);
    disk_start_next(device);
    spin_unlock(&device->lock);
#if !FIXED
    request_mark_pending(request);
#endif
    return STATUS_PENDING;
}

/* ---- interrupt and deferred routine ---- */

/* Says whether the deferred routine has to run. */
static int disk_interrupt(struct disk_device *device) {
    int ours;

    spin_lock(&device->lock);
    controller_work(&device->controller);
    device->statistics.interrupts++;
    ours = device->controller.interrupt_status != 0;
    if (ours)
        device->dpc_queued = 1;
    else
        device->statistics.spurious_interrupts++;
    spin_unlock(&device->lock);
    return ours;
}

/* The lock is held. Says whether the command is given to the controller once more. */
static int disk_retry(struct disk_device *device, struct request *request) {
    struct disk_context *context = request_context(request);

    device->statistics.commands_failed++;
    device->last_error = device->controller.error;
    device->last_error_lba = context->command.lba;
    if (context->retries == MAX_RETRIES)
        return 0;
    context->retries++;
    device->statistics.retries++;
    controller_give(&device->controller, &context->command, request_buffer(request));
    return 1;
}

/* The lock is held. */
static void disk_account(struct disk_device *device, struct disk_context *context) {
    context->transferred = context->command.sectors * device->geometry.sector_size;
    if (context->command.opcode == OPCODE_WRITE)
        device->statistics.sectors_written += context->command.sectors;
    else
        device->statistics.sectors_read += context->command.sectors;
    device->statistics.ticks_busy += device->clock - device->started;
}

static void disk_finish_dpc(struct disk_device *device) {
    struct request *request;
    struct disk_context *context;
    enum status status = STATUS_SUCCESS;
    unsigned transferred;

    spin_lock(&device->lock);
    device->dpc_queued = 0;
    request = device->active;
    /* The watchdog may have been faster. */
    if (!request || !(device->controller.interrupt_status & INTERRUPT_DONE)) {
        spin_unlock(&device->lock);
        return;
    }
    device->controller.interrupt_status = 0;
    context = request_context(request);
    if (device->controller.status & STATUS_REGISTER_ERROR) {
        if (disk_retry(device, request)) {
            spin_unlock(&device->lock);
            return;
        }
        status = STATUS_IO_DEVICE_ERROR;
    } else {
        disk_account(device, context);
    }
    transferred = context->transferred;
    device->active = 0;
    disk_start_next(device);
    spin_unlock(&device->lock);
    request_complete(request, status, transferred, 1);
}

/* ---- watchdog ---- */

static void disk_watchdog(struct disk_device *device) {
    struct request *request;
    struct disk_context *context;

    spin_lock(&device->lock);
    device->clock += 2;
    request = device->active;
    if (!device->timer_running || !request) {
        if (device->clock - device->idle_since > 1)
            device->power = POWER_STANDBY;
        spin_unlock(&device->lock);
        return;
    }
    context = request_context(request);
    if (device->clock <= context->deadline) {
        spin_unlock(&device->lock);
        return;
    }
    device->statistics.timeouts++;
    device->statistics.ticks_busy += device->clock - context->queued_at;
    controller_reset(&device->controller);
    device->active = 0;
    disk_start_next(device);
    spin_unlock(&device->lock);
    request_complete(request, STATUS_TIMEOUT, 0, 0);
}

/* ---- the harness ---- */

static struct disk_device disk;
static struct request write_request, read_request;
static struct disk_context write_context, read_context;
static unsigned char write_buffer[1], read_buffer[1];

static void disk_start(struct disk_device *device) {
    spin_lock_init(&device->lock);
    list_init(&device->queue);
    device->geometry.cylinders = 1;
    device->geometry.heads = 2;
    device->geometry.sectors_per_track = 2;
    device->geometry.sectors = device->geometry.cylinders * device->geometry.heads *
                               device->geometry.sectors_per_track;
    device->geometry.sector_size = 1;
    device->geometry.write_cache = 1;
    device->queue_limit = 4;
    device->controller.status = STATUS_REGISTER_READY;
    device->controller.bad_sector = __VERIFIER_nondet_bool() ? 2 : SECTORS;
    device->controller.interrupt_mask = INTERRUPT_DONE | INTERRUPT_ERROR;
    device->power = POWER_STANDBY;
    device->state = DEVICE_STARTED;
}

static void *dispatch_thread(void *unused) {
    (void)unused;
    disk_dispatch(&disk, &write_request);
    disk_dispatch(&disk, &read_request);
    return 0;
}

static void *interrupt_thread(void *unused) {
    (void)unused;
    if (disk_interrupt(&disk))
        disk_finish_dpc(&disk);
    if (disk_interrupt(&disk))
        disk_finish_dpc(&disk);
    return 0;
}

static void *watchdog_thread(void *unused) {
    (void)unused;
    disk_watchdog(&disk);
    return 0;
}

int main(void) {
    pthread_t dispatch, interrupt, watchdog;

    disk_start(&disk);
    write_buffer[0] = 7;
    request_init(&write_request, MAJOR_WRITE, write_buffer, sizeof write_buffer, &write_context);
    request_init(&read_request, MAJOR_READ, read_buffer, sizeof read_buffer, &read_context);
    write_request.parameters.offset = 2;
    read_request.parameters.offset = 2;

    pthread_create(&dispatch, 0, dispatch_thread, 0);
    pthread_create(&interrupt, 0, interrupt_thread, 0);
    pthread_create(&watchdog, 0, watchdog_thread, 0);
    pthread_join(dispatch, 0);
    pthread_join(interrupt, 0);
    pthread_join(watchdog, 0);
    return 0;
}
