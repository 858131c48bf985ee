/*
 * A serial port. Receive and transmit buffers are rings between the interrupt and the clients; the
 * interrupt is the only other side, so turning interrupts off protects them. How often the port is
 * open, and whether it is being closed, is under a lock of its own, which also orders opening and
 * closing; settings of the line change under both.
 */
#include "kernel.h"

#define RING 16

enum line { LINE_DTR = 1, LINE_RTS = 2, LINE_CTS = 4, LINE_BREAK = 8 };

/* ---- the port ---- */

static spinlock_t port_lock = SPIN_LOCK_UNLOCKED;
static int open_count;
static int closing;
static int initialized;

/* Under both locks when written: either is enough to read. */
static int divisor;
static int word_length;

/* With interrupts off. */
static unsigned char rx_ring[RING];
static int rx_head;
static int rx_tail;
static int rx_overrun;
static unsigned char tx_ring[RING];
static int tx_head;
static int tx_tail;
static int tx_stopped;
static int line_state;
static int line_changes;
static int interrupt_mask;

/* ---- rings; interrupts are off ---- */

static int ring_next(int at)
{
    return at + 1 == RING ? 0 : at + 1;
}

static int rx_put(unsigned char byte)
{
    int next = ring_next(rx_head);
    if (next == rx_tail) {
        rx_overrun = 1;
        return -ENOSPC;
    }
    rx_ring[rx_head] = byte;
    rx_head = next;
    return 0;
}

static int rx_get(void)
{
    int byte;
    if (rx_head == rx_tail)
        return -EAGAIN;
    byte = rx_ring[rx_tail];
    rx_tail = ring_next(rx_tail);
    return byte;
}

static int tx_put(unsigned char byte)
{
    int next = ring_next(tx_head);
    if (next == tx_tail)
        return -ENOSPC;
    tx_ring[tx_head] = byte;
    tx_head = next;
    return 0;
}

static int tx_get(void)
{
    int byte;
    if (tx_head == tx_tail)
        return -EAGAIN;
    byte = tx_ring[tx_tail];
    tx_tail = ring_next(tx_tail);
    return byte;
}

/* ---- opening and closing ---- */

static void port_startup(void)
{
    local_irq_disable();
    rx_head = 0;
    rx_tail = 0;
    rx_overrun = 0;
    tx_head = 0;
    tx_tail = 0;
    tx_stopped = 0;
    divisor = 12;
    word_length = 8;
    line_state = LINE_DTR | LINE_RTS;
    interrupt_mask = 1;
    local_irq_enable();
    initialized = 1;
}

static void port_shutdown(void)
{
    local_irq_disable();
    interrupt_mask = 0;
    line_state = 0;
    local_irq_enable();
    initialized = 0;
}

static int port_open(void)
{
    spin_lock(&port_lock);
    if (closing) {
        spin_unlock(&port_lock);
        return -EAGAIN;
    }
    if (open_count == 0 && !initialized)
        port_startup();
    if (open_count < 100)
        open_count = open_count + 1;
    spin_unlock(&port_lock);
    return 0;
}

static int port_close(void)
{
    spin_lock(&port_lock);
    if (open_count == 0) {
        spin_unlock(&port_lock);
        return -ENODEV;
    }
    open_count = open_count - 1;
    if (open_count == 0) {
        closing = 1;
        port_shutdown();
        closing = 0;
    }
    spin_unlock(&port_lock);
    return 0;
}

/* ---- reading and writing ---- */

static int port_read(void)
{
    int byte;
    local_irq_disable();
    byte = rx_get();
    local_irq_enable();
    return byte;
}

static int port_write(unsigned char byte)
{
    int result;
    local_irq_disable();
    if (tx_stopped)
        result = -EAGAIN;
    else
        result = tx_put(byte);
    if (result == 0)
        interrupt_mask = interrupt_mask | 2;
    local_irq_enable();
    return result;
}

static void port_flush(void)
{
    local_irq_disable();
    tx_head = 0;
    tx_tail = 0;
    local_irq_enable();
}

static void port_throttle(int stop)
{
    local_irq_disable();
    tx_stopped = stop;
    if (stop)
        line_state = line_state & ~LINE_RTS;
    else
        line_state = line_state | LINE_RTS;
    local_irq_enable();
}

static int port_set(int baud, int length)
{
    if (baud <= 0)
        return -EINVAL;
    spin_lock(&port_lock);
    local_irq_disable();
    divisor = baud;
    word_length = length;
    local_irq_enable();
    spin_unlock(&port_lock);
    return 0;
}

/* Either lock is enough to read the settings. */
static int port_get(void)
{
    int value;
#ifdef BUG
    value = divisor;
#else
    spin_lock(&port_lock);
    value = divisor;
    spin_unlock(&port_lock);
#endif
    return value;
}

static int port_line(void)
{
    int state;
    local_irq_disable();
    state = line_state;
    if (line_changes)
        state |= LINE_BREAK;
    line_changes = 0;
    local_irq_enable();
    return state;
}

/* ---- the interrupt ---- */

static void *port_interrupt(void *unused)
{
    int byte;
    irq_enter();
    if (interrupt_mask) {
        if (__VERIFIER_nondet_int())
            rx_put(__VERIFIER_nondet_uchar());
        if (interrupt_mask & 2) {
            byte = tx_get();
            if (byte < 0)
                interrupt_mask = 1;
        }
        if (__VERIFIER_nondet_int()) {
            line_state = line_state ^ LINE_CTS;
            line_changes = 1;
        }
        if (word_length == 7)
            rx_overrun = 0;
    }
    irq_exit();
    return 0;
}

static void *client(void *unused)
{
    switch (__VERIFIER_nondet_int()) {
    case 0:
        port_open();
        break;
    case 1:
        port_close();
        break;
    case 2:
        port_read();
        break;
    case 3:
        port_write(__VERIFIER_nondet_uchar());
        break;
    case 4:
        port_flush();
        break;
    case 5:
        port_throttle(__VERIFIER_nondet_int());
        break;
    case 6:
        port_set(__VERIFIER_nondet_int(), 8);
        break;
    case 7:
        port_get();
        break;
    default:
        port_line();
        break;
    }
    return 0;
}

int main(void)
{
    while (1) {
        if (__VERIFIER_nondet_int())
            start(client);
        else
            start(port_interrupt);
    }
}
