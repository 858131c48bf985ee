/*
 * A serial port: reads are served from the receive buffer, or wait until the port has received
 * enough.
 *
 * Threads   dispatch   serial_dispatch_read, for one read of one byte
 *           cancel     the sender cancels that read: serial_cancel_read
 *           interrupt  a byte arrives: serial_interrupt, then serial_receive_dpc
 *
 * The bug   A read that can be served at once is completed by the dispatch routine, which has made
 *           it cancelable before and does not take that back. The cancel routine may have been
 *           called in between, and is still to look at the request.
 * Schedule  dispatch    makes the read cancelable in serial_dispatch_read
 *           cancel      request_cancel takes the cancel routine and calls it
 *           dispatch    completes the read at the end of serial_dispatch_read
 *           cancel      serial_cancel_read asks for the context of a completed request
 *           These three switches are needed: a cancel thread that comes before the first of them
 *           finds no routine yet, one that comes after the completion none any more, and one that
 *           is not interrupted is done with the request before it is completed.
 * The cure  (FIXED) The dispatch routine takes the cancel routine back before it completes the
 *           read. Where that fails, the second of the two routines to get hold of the lock
 *           completes.
 *
 *     selvedge verify examples/drivers/serial.c              UNSAFE
 *     selvedge verify examples/drivers/serial_fixed.c        SAFE
 *
 * 472 lines, 77 fields in 12 structs (with those of kernel.h that it uses).
 */
#include "kernel.h"

#ifndef FIXED
#define FIXED 0
#endif

#define RING_SIZE 4
#define CLOCK_RATE 115200u

/* Bits of the line status, interrupt enable, line and modem control registers. */
enum { LSR_DATA_READY = 1, LSR_OVERRUN = 2, LSR_PARITY = 4, LSR_FRAMING = 8, LSR_BREAK = 16 };
enum { IER_RECEIVE = 1, IER_LINE_STATUS = 4 };
enum { LCR_EIGHT_BITS = 3, LCR_TWO_STOP_BITS = 4, LCR_PARITY = 8, LCR_DIVISOR_LATCH = 128 };
enum { MCR_DTR = 1, MCR_RTS = 2, MCR_INTERRUPTS = 8 };

/* Events that a client may wait for. */
enum { EVENT_RECEIVED = 1, EVENT_CHARACTER = 2, EVENT_ERROR = 4, EVENT_BUFFER_FULL = 8 };

enum power_state { POWER_ON, POWER_SLEEP };
enum parity { PARITY_NONE, PARITY_EVEN };

/* The registers of the port, as the hardware shows them. */
struct uart {
    unsigned char receive_buffer;
    unsigned char interrupt_enable;
    unsigned char interrupt_identity;
    unsigned char fifo_control;
    unsigned char line_control;
    unsigned char modem_control;
    unsigned char line_status;
    unsigned char divisor_low;
    unsigned char divisor_high;
};

struct line_settings {
    unsigned baud_rate;
    unsigned char word_length;
    unsigned char stop_bits;
    enum parity parity;
    unsigned char event_character;
    unsigned char error_character;
    int replace_errors;
};

struct flow_control {
    int use_rts;
    int rts_dropped;
    unsigned stop_level;   /* drop RTS when the buffer holds more */
    unsigned resume_level; /* raise it again when it holds fewer */
};

/* In ticks; 0 means for ever. */
struct timeouts {
    unsigned read_total;
    unsigned read_per_byte;
};

struct statistics {
    unsigned received;
    unsigned interrupts;
    unsigned spurious_interrupts;
    unsigned framing_errors;
    unsigned parity_errors;
    unsigned overruns;
    unsigned buffer_overruns;
    unsigned reads;
    unsigned reads_at_once;
    unsigned reads_cancelled;
    unsigned bytes_read;
};

/* Bytes received and not yet read. */
struct ring {
    unsigned char bytes[RING_SIZE];
    unsigned first;
    unsigned count;
    unsigned high_water;
};

struct serial_device {
    struct spin_lock lock; /* protects everything below */
    struct uart uart;
    struct line_settings line;
    struct flow_control flow;
    struct timeouts timeouts;
    struct statistics statistics;
    struct ring ring;
    struct list_entry reads; /* requests that wait for bytes */
    unsigned reads_waiting;
    int dpc_queued;
    int open;
    enum power_state power;
    unsigned wait_mask;   /* events that a client waits for */
    unsigned event_history;
    unsigned clock;
};

enum read_state {
    READ_DISPATCHED, /* the dispatch routine has it */
    READ_QUEUED,     /* in the list `reads` */
    READ_LEFT,       /* left to the cancel routine, which is on its way */
};

/* What the driver keeps for a read; protected by the device's lock. */
struct read_context {
    struct serial_device *device;
    enum read_state state;
    int cancelled; /* the cancel routine has been here, and left the request to its holder */
    unsigned wanted;
    unsigned copied;
    unsigned deadline;
};

/* ---- the port ---- */

static void uart_program(struct uart *uart, const struct line_settings *line) {
    unsigned divisor = CLOCK_RATE / line->baud_rate;

    uart->line_control = LCR_DIVISOR_LATCH;
    uart->divisor_low = (unsigned char)(divisor & 255);
    uart->divisor_high = (unsigned char)(divisor >> 8);
    uart->line_control = line->word_length == 8 ? LCR_EIGHT_BITS : 0;
    if (line->stop_bits == 2)
        uart->line_control |= LCR_TWO_STOP_BITS;
    if (line->parity != PARITY_NONE)
        uart->line_control |= LCR_PARITY;
    uart->fifo_control = 1;
    uart->modem_control = MCR_DTR | MCR_RTS | MCR_INTERRUPTS;
    uart->interrupt_enable = IER_RECEIVE | IER_LINE_STATUS;
}

/* The line delivers a byte: the hardware's side. */
static void uart_deliver(struct uart *uart, unsigned char byte) {
    if (uart->line_status & LSR_DATA_READY)
        uart->line_status |= LSR_OVERRUN;
    uart->receive_buffer = byte;
    uart->line_status |= LSR_DATA_READY;
    if (uart->interrupt_enable & IER_RECEIVE)
        uart->interrupt_identity = 4;
}

/* ---- the receive buffer ---- */

static void serial_raise_events(struct serial_device *device, unsigned events) {
    device->event_history |= events & device->wait_mask;
}

static void ring_put(struct serial_device *device, unsigned char byte) {
    struct ring *ring = &device->ring;

    if (ring->count == RING_SIZE) {
        device->statistics.buffer_overruns++;
        serial_raise_events(device, EVENT_ERROR);
        return;
    }
    ring->bytes[(ring->first + ring->count) % RING_SIZE] = byte;
    ring->count++;
    if (ring->count > ring->high_water)
        ring->high_water = ring->count;
    if (ring->count == RING_SIZE)
        serial_raise_events(device, EVENT_BUFFER_FULL);
    if (device->flow.use_rts && ring->count > device->flow.stop_level) {
        device->flow.rts_dropped = 1;
        device->uart.modem_control &= (unsigned char)~MCR_RTS;
    }
}

static unsigned char ring_get(struct serial_device *device) {
    struct ring *ring = &device->ring;
    unsigned char byte = ring->bytes[ring->first];

    ring->first = (ring->first + 1) % RING_SIZE;
    ring->count--;
    if (device->flow.rts_dropped && ring->count < device->flow.resume_level) {
        device->flow.rts_dropped = 0;
        device->uart.modem_control |= MCR_RTS;
    }
    return byte;
}

/* Moves what there is into the request's buffer. Says whether the read has all it wants. */
static int serial_copy_received(struct serial_device *device, struct request *request,
                                struct read_context *context) {
    unsigned char *buffer = request_buffer(request);

    while (context->copied < context->wanted && device->ring.count > 0) {
        buffer[context->copied] = ring_get(device);
        context->copied++;
        device->statistics.bytes_read++;
    }
    return context->copied == context->wanted;
}

/* ---- cancellation ---- */

/*
 * Called without locks, once, by whoever cancels the request. A read that waits is completed here.
 * One that the dispatch routine works on is completed by that routine.
 */
static void serial_cancel_read(struct request *request) {
    struct read_context *context = request_context(request);
    struct serial_device *device = context->device;
    int mine;

    spin_lock(&device->lock);
    mine = context->state != READ_DISPATCHED;
    if (context->state == READ_QUEUED) {
        list_remove(&request_touch(request)->link);
        device->reads_waiting--;
    }
    context->cancelled = 1;
    device->statistics.reads_cancelled++;
    spin_unlock(&device->lock);
    if (mine)
        request_complete(request, STATUS_CANCELLED, 0, 0);
}

/* ---- dispatch ---- */

static unsigned read_deadline(const struct serial_device *device, unsigned length) {
    unsigned ticks = device->timeouts.read_total + device->timeouts.read_per_byte * length;

    return ticks ? device->clock + ticks : 0;
}

static enum status serial_check_read(struct serial_device *device, struct request *request) {
    enum status status = STATUS_SUCCESS;

    if (request_parameters(request)->major != MAJOR_READ ||
        request_parameters(request)->length > RING_SIZE)
        return STATUS_INVALID_PARAMETER;
    spin_lock(&device->lock);
    if (!device->open || device->power != POWER_ON)
        status = STATUS_DEVICE_NOT_READY;
    device->statistics.reads++;
    spin_unlock(&device->lock);
    return status;
}

#if FIXED
/*
 * The read is served and the dispatch routine has to complete it. Where a cancellation has come
 * first, the second of the two routines here completes: says whether that is the dispatch routine.
 */
static int serial_claim_served(struct serial_device *device, struct request *request,
                               struct read_context *context) {
    int mine = 1;

    if (!request_unmark_cancelable(request)) {
        spin_lock(&device->lock);
        mine = context->cancelled;
        if (!mine)
            context->state = READ_LEFT;
        spin_unlock(&device->lock);
    }
    return mine;
}
#endif

static enum status serial_dispatch_read(struct serial_device *device, struct request *request) {
    struct read_context *context = request_context(request);
    unsigned copied;
    enum status status = serial_check_read(device, request);

    if (status != STATUS_SUCCESS) {
        request_complete(request, status, 0, 0);
        return status;
    }
    context->device = device;
    context->wanted = request_parameters(request)->length;
    if (!request_mark_cancelable(request, serial_cancel_read)) {
        request_complete(request, STATUS_CANCELLED, 0, 0);
        return STATUS_CANCELLED;
    }

    spin_lock(&device->lock);
    if (!serial_copy_received(device, request, context) && !context->cancelled) {
        request_mark_pending(request);
        context->state = READ_QUEUED;
        context->deadline = read_deadline(device, context->wanted);
        list_add_tail(&device->reads, &request_touch(request)->link);
        device->reads_waiting++;
        spin_unlock(&device->lock);
        return STATUS_PENDING;
    }
    status = context->copied == context->wanted ? STATUS_SUCCESS : STATUS_CANCELLED;
    copied = context->copied;
    device->statistics.reads_at_once++;
    spin_unlock(&device->lock);

#if FIXED
    if (!serial_claim_served(device, request, context))
        return STATUS_PENDING;
#endif
    request_complete(request, status, copied, 1);
    return status;
}

/* ---- interrupt and deferred routine ---- */

static void serial_count_errors(struct serial_device *device, unsigned char line_status) {
    if (line_status & LSR_OVERRUN)
        device->statistics.overruns++;
    if (line_status & LSR_PARITY)
        device->statistics.parity_errors++;
    if (line_status & (LSR_FRAMING | LSR_BREAK))
        device->statistics.framing_errors++;
    serial_raise_events(device, EVENT_ERROR);
}

/* Says whether the deferred routine has to run. */
static int serial_interrupt(struct serial_device *device) {
    struct uart *uart = &device->uart;
    unsigned char line_status, byte;

    spin_lock(&device->lock);
    device->statistics.interrupts++;
    if (uart->interrupt_identity == 0) {
        device->statistics.spurious_interrupts++;
        spin_unlock(&device->lock);
        return 0;
    }
    line_status = uart->line_status;
    byte = uart->receive_buffer;
    uart->line_status = 0;
    uart->interrupt_identity = 0;
    device->statistics.received++;
    if (line_status & ~LSR_DATA_READY) {
        serial_count_errors(device, line_status);
        if (device->line.replace_errors)
            byte = device->line.error_character;
    }
    ring_put(device, byte);
    serial_raise_events(device, EVENT_RECEIVED);
    if (byte == device->line.event_character)
        serial_raise_events(device, EVENT_CHARACTER);
    device->dpc_queued = 1;
    device->clock++;
    spin_unlock(&device->lock);
    return 1;
}

/* Completes the first waiting read if it can be served now or has waited for too long. */
static void serial_receive_dpc(struct serial_device *device) {
    struct request *request;
    struct read_context *context;
    enum status status;
    unsigned copied;

    spin_lock(&device->lock);
    device->dpc_queued = 0;
    if (list_empty(&device->reads)) {
        spin_unlock(&device->lock);
        return;
    }
    request = container_of(device->reads.next, struct request, link);
    context = request_context(request);
    if (serial_copy_received(device, request, context)) {
        status = STATUS_SUCCESS;
    } else if (context->deadline && device->clock > context->deadline) {
        status = STATUS_TIMEOUT;
    } else {
        spin_unlock(&device->lock);
        return;
    }
    /* A cancel routine that is on its way finds the request in the list and completes it. */
    if (!request_unmark_cancelable(request)) {
        spin_unlock(&device->lock);
        return;
    }
    list_remove(&request_touch(request)->link);
    device->reads_waiting--;
    copied = context->copied;
    spin_unlock(&device->lock);
    request_complete(request, status, copied, 2);
}

/* ---- the harness ---- */

static struct serial_device port;
static struct request read_request;
static struct read_context read_request_context;
static unsigned char read_buffer[1];

static void serial_open(struct serial_device *device) {
    spin_lock_init(&device->lock);
    list_init(&device->reads);
    device->line.baud_rate = 9600;
    device->line.word_length = 8;
    device->line.stop_bits = 1;
    device->line.parity = PARITY_NONE;
    device->line.event_character = '\n';
    device->line.error_character = '?';
    device->line.replace_errors = 1;
    device->flow.use_rts = 1;
    device->flow.stop_level = 3;
    device->flow.resume_level = 2;
    device->timeouts.read_total = 2;
    device->timeouts.read_per_byte = 1;
    device->wait_mask = EVENT_RECEIVED | EVENT_ERROR;
    device->power = POWER_ON;
    device->open = 1;
    uart_program(&device->uart, &device->line);
}

static void *dispatch_thread(void *unused) {
    (void)unused;
    serial_dispatch_read(&port, &read_request);
    return 0;
}

static void *cancel_thread(void *unused) {
    (void)unused;
    request_cancel(&read_request);
    return 0;
}

static void *interrupt_thread(void *unused) {
    (void)unused;
    if (serial_interrupt(&port))
        serial_receive_dpc(&port);
    return 0;
}

int main(void) {
    pthread_t dispatch, cancel, interrupt;

    serial_open(&port);
    /* A byte may have come before the read. */
    if (__VERIFIER_nondet_bool()) {
        uart_deliver(&port.uart, 'a');
        serial_interrupt(&port);
    }
    uart_deliver(&port.uart, 'b');
    request_init(&read_request, MAJOR_READ, read_buffer, sizeof read_buffer,
                 &read_request_context);

    pthread_create(&dispatch, 0, dispatch_thread, 0);
    pthread_create(&cancel, 0, cancel_thread, 0);
    pthread_create(&interrupt, 0, interrupt_thread, 0);
    pthread_join(dispatch, 0);
    pthread_join(cancel, 0);
    pthread_join(interrupt, 0);
    return 0;
}
