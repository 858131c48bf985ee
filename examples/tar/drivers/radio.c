/*
 * A wireless network card. The card has one command register: whoever wants something writes
 * parameters and a command, waits until the card has taken it, and reads the answer. Any number of
 * clients read and write records of the card's configuration, send frames and ask for statistics,
 * while interrupts tell of received frames and of commands that are done.
 *
 * One spin lock, taken with interrupts off, protects the registers and all that is known of the
 * card; the frames that wait to be sent have a lock of their own.
 */
#include "kernel.h"

#define RECORD_WORDS 8
#define QUEUE 4

enum command { CMD_NONE, CMD_ACCESS, CMD_SEND, CMD_ENABLE, CMD_DISABLE };

enum event { EV_NONE = 0, EV_COMMAND = 1, EV_RECEIVE = 2, EV_LINK = 4 };

static spinlock_t card_lock = SPIN_LOCK_UNLOCKED;

/* The registers. */
static int reg_command;
static int reg_param0;
static int reg_param1;
static int reg_status;
static int reg_response;
static int reg_event;
static int reg_select;
static int reg_offset;
static int reg_data;

/* What the driver knows of the card. */
static int enabled;
static int associated;
static int need_reset;
static int command_busy;
static int last_error;
static int record[RECORD_WORDS];
static int record_number;

/* Counted for whoever asks. */
static int frames_received;
static int frames_sent;
static int frames_dropped;
static int commands_failed;
static int interrupts_seen;

/* Frames that wait to be sent. */
static spinlock_t queue_lock = SPIN_LOCK_UNLOCKED;
static int queue[QUEUE];
static int queued;
static int queue_head;

/* ---- the registers; the caller holds card_lock ---- */

static int wait_ready(void)
{
    if (reg_status < 0) {
        last_error = reg_status;
        return -EBUSY;
    }
    return 0;
}

static int issue(int command, int param0, int param1)
{
    if (command_busy)
        return -EBUSY;
    if (wait_ready() != 0) {
        commands_failed = 1;
        return -EBUSY;
    }
    command_busy = 1;
    reg_param0 = param0;
    reg_param1 = param1;
    reg_command = command;
    reg_status = __VERIFIER_nondet_int();
    reg_response = __VERIFIER_nondet_int();
    command_busy = 0;
    return reg_response < 0 ? -EINVAL : 0;
}

static int select_record(int number, int offset)
{
    reg_select = number;
    reg_offset = offset;
    return wait_ready();
}

static int load_record(int number)
{
    int result;
    result = issue(CMD_ACCESS, number, 0);
    if (result != 0)
        return result;
    result = select_record(number, 0);
    if (result != 0)
        return result;
    record[0] = reg_data;
    record[1] = reg_data;
    record_number = number;
    return 0;
}

static int store_record(int number)
{
    int result;
    result = select_record(number, 0);
    if (result != 0)
        return result;
    reg_data = record[0];
    reg_data = record[1];
    result = issue(CMD_ACCESS, number, 1);
    if (result == 0)
        record_number = number;
    return result;
}

/* ---- what clients ask for ---- */

static int card_readrid(int number, int *value)
{
    int result;
    spin_lock_irq(&card_lock);
    if (!enabled) {
        spin_unlock_irq(&card_lock);
        return -ENODEV;
    }
    result = load_record(number);
    if (result == 0)
        *value = record[0];
    spin_unlock_irq(&card_lock);
    return result;
}

static int card_writerid(int number, int value)
{
    int result;
    spin_lock_irq(&card_lock);
    if (!enabled) {
        spin_unlock_irq(&card_lock);
        return -ENODEV;
    }
    record[0] = value;
    record[1] = 0;
    result = store_record(number);
    if (result != 0)
        need_reset = 1;
    spin_unlock_irq(&card_lock);
    return result;
}

static int card_open(void)
{
    int result = 0;
    spin_lock_irq(&card_lock);
    if (!enabled) {
        result = issue(CMD_ENABLE, 0, 0);
        if (result == 0) {
            enabled = 1;
            need_reset = 0;
        }
    }
    spin_unlock_irq(&card_lock);
    return result;
}

static int card_stop(void)
{
    int result = 0;
    spin_lock_irq(&card_lock);
    if (enabled) {
        result = issue(CMD_DISABLE, 0, 0);
        enabled = 0;
        associated = 0;
    }
    spin_unlock_irq(&card_lock);
    return result;
}

static int card_queue(int frame)
{
    int result = 0;
    spin_lock(&queue_lock);
    if (queued == QUEUE) {
        result = -ENOSPC;
    } else {
        queue[(queue_head + queued) % QUEUE] = frame;
        queued = queued + 1;
    }
    spin_unlock(&queue_lock);
    return result;
}

/* Takes a frame out of the queue first, then the card: the two locks are never held together. */
static int card_transmit(void)
{
    int frame, have = 0, result;
    spin_lock(&queue_lock);
    if (queued > 0) {
        frame = queue[queue_head];
        queue_head = (queue_head + 1) % QUEUE;
        queued = queued - 1;
        have = 1;
    }
    spin_unlock(&queue_lock);
    if (!have)
        return -EAGAIN;
    spin_lock_irq(&card_lock);
    if (!enabled || !associated) {
        frames_dropped = 1;
        spin_unlock_irq(&card_lock);
        return -ENODEV;
    }
    result = issue(CMD_SEND, frame, 0);
    if (result == 0)
        frames_sent = 1;
    else
        frames_dropped = 1;
    spin_unlock_irq(&card_lock);
    return result;
}

static int card_statistics(void)
{
    int sum = 0;
    spin_lock_irq(&card_lock);
    if (frames_received)
        sum |= 1;
    if (frames_sent)
        sum |= 2;
    if (frames_dropped)
        sum |= 4;
    if (commands_failed)
        sum |= 8;
    if (interrupts_seen)
        sum |= 16;
#ifndef BUG
    spin_unlock_irq(&card_lock);
    return sum;
#else
    spin_unlock_irq(&card_lock);
    return sum + last_error;
#endif
}

/* ---- interrupts ---- */

static void *card_interrupt(void *unused)
{
    int events;
    irq_enter();
    spin_lock(&card_lock);
    events = __VERIFIER_nondet_int();
    interrupts_seen = 1;
    reg_event = 0;
    if (events & EV_COMMAND)
        reg_status = 0;
    if (events & EV_RECEIVE)
        frames_received = 1;
    if (events & EV_LINK)
        associated = enabled;
    if (need_reset && enabled) {
        reg_command = CMD_DISABLE;
        enabled = 0;
        need_reset = 0;
    }
    spin_unlock(&card_lock);
    irq_exit();
    return 0;
}

static void *client(void *unused)
{
    int value = 0;
    switch (__VERIFIER_nondet_int()) {
    case 0:
        card_open();
        break;
    case 1:
        card_stop();
        break;
    case 2:
        card_readrid(__VERIFIER_nondet_int(), &value);
        break;
    case 3:
        card_writerid(__VERIFIER_nondet_int(), value);
        break;
    case 4:
        card_queue(__VERIFIER_nondet_int());
        break;
    case 5:
        card_transmit();
        break;
    default:
        card_statistics();
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
            start(card_interrupt);
    }
}
