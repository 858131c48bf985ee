/*
 * A measuring device behind a character device. A client that reads starts a measurement and sleeps
 * until the interrupt says that the sample is there. One measurement runs at a time: request_lock is
 * held from the start to the end of it. The sample itself is under no lock. The interrupt writes it
 * only while a measurement is pending; when that is over, it belongs to the client that waited.
 *
 * hardware_lock, taken with interrupts off, protects the registers and what is pending; table_lock
 * protects who has the device open. When the last one closes it, it is turned off, and what was set
 * is forgotten.
 */
#include "kernel.h"

#define MAX_OPEN 32

enum ioctl { IOC_SET_GAIN = 1, IOC_GET_GAIN, IOC_SET_LIMITS, IOC_GET_ALARM, IOC_CALIBRATE };

enum state { STATE_OFF = 0, STATE_IDLE, STATE_MEASURING, STATE_FAILED };

/* ---- the device ---- */

static spinlock_t request_lock = SPIN_LOCK_UNLOCKED;
static struct completion sample_ready;

/* Under request_lock, or with a measurement pending: the interrupt's. */
static int sample;
static int sample_valid;

/* Under request_lock. */
static int smoothed;
static int offset;

static spinlock_t hardware_lock = SPIN_LOCK_UNLOCKED;
static int pending;
static int state;
static int gain;
static int limit_low;
static int limit_high;
static int alarm;
static int reg_control;
static int reg_gain;
static int reg_status;

static spinlock_t table_lock = SPIN_LOCK_UNLOCKED;
static int opened;
static int total_reads;
static int total_errors;

/* What one client has done since it opened the device. */
struct session {
    int reads;
    int errors;
    int last;
};

/* ---- the hardware; the caller holds hardware_lock ---- */

static void power_on(void)
{
    reg_control = 1;
    gain = 1;
    reg_gain = 1;
    reg_status = 0;
    state = STATE_IDLE;
}

static void power_off(void)
{
    reg_control = 0;
    alarm = 0;
    state = STATE_OFF;
}

static int begin_measurement(void)
{
    if (state != STATE_IDLE)
        return state == STATE_OFF ? -ENODEV : -EBUSY;
    state = STATE_MEASURING;
    reg_control = 3;
    pending = 1;
    return 0;
}

/* ---- opening and closing ---- */

static int sensor_open(struct session *session)
{
    session->reads = 0;
    session->errors = 0;
    session->last = 0;
#ifdef BUG
    if (opened == MAX_OPEN)
        return -EBUSY;
#endif
    spin_lock(&table_lock);
    if (opened == MAX_OPEN) {
        spin_unlock(&table_lock);
        return -EBUSY;
    }
    if (opened == 0) {
#ifdef BUG_POWER
        power_on();
#else
        spin_lock_irq(&hardware_lock);
        power_on();
        spin_unlock_irq(&hardware_lock);
#endif
    }
    opened = opened + 1;
    spin_unlock(&table_lock);
    return 0;
}

static int sensor_close(struct session *session)
{
    spin_lock(&table_lock);
    if (opened == 0) {
        spin_unlock(&table_lock);
        return -ENODEV;
    }
    if (session->reads > 0)
        total_reads = 1;
    if (session->errors > 0)
        total_errors = 1;
    opened = opened - 1;
    if (opened == 0) {
        spin_lock_irq(&hardware_lock);
        if (!pending)
            power_off();
        spin_unlock_irq(&hardware_lock);
    }
    spin_unlock(&table_lock);
    return 0;
}

/* ---- reading ---- */

/* The caller holds request_lock, and nothing is pending. */
static void remember(int value)
{
    smoothed = smoothed / 2 + value / 2;
}

static int sensor_read(struct session *session)
{
    int result, value = 0;
    spin_lock(&request_lock);
    spin_lock_irq(&hardware_lock);
    result = begin_measurement();
    spin_unlock_irq(&hardware_lock);
    if (result == 0) {
#ifndef BUG_WAIT
        wait_for_completion(&sample_ready);
#endif
        if (sample_valid) {
            value = sample;
            sample_valid = 0;
            remember(value);
        } else {
            result = -EAGAIN;
        }
    }
    spin_unlock(&request_lock);
    if (result == 0) {
        session->reads = 1;
        session->last = value;
    } else {
        session->errors = 1;
    }
    return result;
}

/* ---- settings ---- */

static int set_gain(int value)
{
    if (value < 1 || value > 16)
        return -EINVAL;
    spin_lock_irq(&hardware_lock);
    gain = value;
    if (state == STATE_IDLE)
        reg_gain = value;
    spin_unlock_irq(&hardware_lock);
    return 0;
}

static int get_gain(void)
{
    int value;
#ifdef BUG_GAIN
    value = gain;
#else
    spin_lock_irq(&hardware_lock);
    value = gain;
    spin_unlock_irq(&hardware_lock);
#endif
    return value;
}

static int set_limits(int low, int high)
{
    if (low > high)
        return -EINVAL;
    spin_lock_irq(&hardware_lock);
    limit_low = low;
    limit_high = high;
    alarm = 0;
    spin_unlock_irq(&hardware_lock);
    return 0;
}

static int get_alarm(void)
{
    int value;
    spin_lock_irq(&hardware_lock);
    value = alarm;
    alarm = 0;
    spin_unlock_irq(&hardware_lock);
    return value;
}

/* What was measured last tells the offset. */
static int calibrate(void)
{
    int value;
    spin_lock(&request_lock);
    value = smoothed;
    if (value > -1000 && value < 1000)
        offset = value;
    smoothed = 0;
    spin_unlock(&request_lock);
    return 0;
}

static int sensor_ioctl(int request, int argument)
{
    switch (request) {
    case IOC_SET_GAIN:
        return set_gain(argument);
    case IOC_GET_GAIN:
        return get_gain();
    case IOC_SET_LIMITS:
        return set_limits(0, argument);
    case IOC_GET_ALARM:
        return get_alarm();
    case IOC_CALIBRATE:
        return calibrate();
    default:
        return -EINVAL;
    }
}

/* ---- the interrupt ---- */

static void finish_measurement(int status, int value)
{
    if (status == 0) {
        sample = value;
        sample_valid = 1;
        state = STATE_IDLE;
        if (value < limit_low || value > limit_high)
            alarm = 1;
    } else {
        sample_valid = 0;
        reg_status = status;
        state = STATE_FAILED;
    }
    pending = 0;
    complete(&sample_ready);
}

static void *sensor_interrupt(void *unused)
{
    irq_enter();
    spin_lock(&hardware_lock);
    if (pending)
        finish_measurement(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    else if (state == STATE_FAILED)
        state = STATE_IDLE;
    spin_unlock(&hardware_lock);
    irq_exit();
    return 0;
}

static void *client(void *unused)
{
    struct session session;
    if (sensor_open(&session) != 0)
        return 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            sensor_read(&session);
        else
            sensor_ioctl(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    }
    sensor_close(&session);
    return 0;
}

int main(void)
{
    while (1) {
        if (__VERIFIER_nondet_int())
            start(client);
        else
            start(sensor_interrupt);
    }
}
