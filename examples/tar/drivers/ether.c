/*
 * A network card with a transmit ring, of which the card keeps the descriptors and the driver how many
 * are in use. Clients bring it up and down, queue frames, change its address
 * and filter and ask for statistics; the card's interrupt hands back the descriptors that have been
 * sent and takes in what was received; a watchdog restarts the transmitter when nothing moves.
 *
 * Locks, in the order in which they are taken:
 *   config_lock   how many users the card has, and all that changes only when it goes up or down
 *   tx_lock       the transmit ring and the card's register window; with interrupts off, because
 *                 the interrupt takes it too
 *   stats_lock    what is counted
 * The receive buffer belongs to the interrupt while the card is up. Going down, the card's interrupts
 * are masked under tx_lock; from then on the interrupt leaves the buffer alone, and the last user may
 * clear it.
 */
#include "kernel.h"

#define TX_RING 8

#define COUNT_MAX 1000000

enum cause { CAUSE_TX = 1, CAUSE_RX = 2, CAUSE_LINK = 4, CAUSE_ERROR = 8 };

enum request { SET_ADDRESS = 1, SET_PROMISCUOUS, SET_MULTICAST, GET_LINK, GET_ADDRESS };

/* ---- what is known of the card ---- */

static spinlock_t config_lock = SPIN_LOCK_UNLOCKED;
static int users;
static int rings_ready;

static spinlock_t tx_lock = SPIN_LOCK_UNLOCKED;
static int tx_used;
static int tx_stuck;
static int tx_running;

/* The register window: an index register says which register the data register is. */
static int window_index;
static int window_data;
static int irq_unmasked;
static int promiscuous;
static int multicast_hash;
static int address_low;
static int address_high;
static int link_up;

static int rx_length;
static int rx_waiting;

static spinlock_t stats_lock = SPIN_LOCK_UNLOCKED;
static int stat_sent;
static int stat_received;
static int stat_dropped;
static int stat_restarts;

/* ---- registers; the caller holds tx_lock ---- */

static void write_register(int index, int value)
{
    window_index = index;
    window_data = value;
}

static int read_register(int index)
{
    window_index = index;
    window_data = __VERIFIER_nondet_int();
    return window_data;
}

static void mask_interrupts(void)
{
    write_register(0x3c, 0);
    irq_unmasked = 0;
}

static void unmask_interrupts(void)
{
    write_register(0x3c, CAUSE_TX | CAUSE_RX | CAUSE_LINK | CAUSE_ERROR);
    irq_unmasked = 1;
}

/* ---- statistics ---- */

static void count(int *counter)
{
    spin_lock(&stats_lock);
    if (*counter < COUNT_MAX)
        *counter = *counter + 1;
    spin_unlock(&stats_lock);
}

/* ---- the transmit ring; the caller holds tx_lock ---- */

static void tx_clear(void)
{
    tx_used = 0;
    tx_stuck = 0;
}

static int tx_put(int length)
{
    if (tx_used == TX_RING)
        return -EBUSY;
    tx_used = tx_used + 1;
    write_register(0x14, length);
    write_register(0x10, tx_used);
    return 0;
}

/* Takes back one descriptor that the card is done with. */
static int tx_reclaim(void)
{
    if (tx_used == 0)
        return -EAGAIN;
    tx_used = tx_used - 1;
    tx_stuck = 0;
    return 0;
}

/* ---- up and down ---- */

/* Nobody else looks at the receive buffer while the card is down. */
static void rx_clear(void)
{
    rx_length = 0;
    rx_waiting = 0;
}

static int ether_open(void)
{
    spin_lock(&config_lock);
    if (users == 64) {
        spin_unlock(&config_lock);
        return -EBUSY;
    }
    if (users == 0) {
        rx_clear();
        rings_ready = 1;
        spin_lock_irq(&tx_lock);
        tx_clear();
        tx_running = 1;
        unmask_interrupts();
        spin_unlock_irq(&tx_lock);
    }
    users = users + 1;
    spin_unlock(&config_lock);
    return 0;
}

static int ether_close(void)
{
    spin_lock(&config_lock);
    if (users == 0) {
        spin_unlock(&config_lock);
        return -ENODEV;
    }
    users = users - 1;
    if (users == 0) {
        spin_lock_irq(&tx_lock);
#ifndef BUG_UNMASKED
        mask_interrupts();
#endif
        tx_running = 0;
        spin_unlock_irq(&tx_lock);
        rx_clear();
        rings_ready = 0;
    }
    spin_unlock(&config_lock);
    return 0;
}

/* ---- what clients ask for ---- */

static int ether_transmit(int length)
{
    int result;
    if (length <= 0 || length > 1518)
        return -EINVAL;
#ifdef BUG
    if (!tx_running)
        return -ENODEV;
#endif
    spin_lock_irq(&tx_lock);
    if (tx_running)
        result = tx_put(length);
    else
        result = -ENODEV;
    spin_unlock_irq(&tx_lock);
    if (result != 0)
        count(&stat_dropped);
    return result;
}

static int ether_ioctl(int request, int argument)
{
    int result = 0;
    spin_lock_irq(&tx_lock);
    switch (request) {
    case SET_ADDRESS:
        address_low = argument;
        address_high = argument >> 16;
        write_register(0x20, address_low);
        write_register(0x24, address_high);
        break;
    case SET_PROMISCUOUS:
        promiscuous = argument != 0;
        write_register(0x28, promiscuous);
        break;
    case SET_MULTICAST:
        multicast_hash = multicast_hash | argument;
        write_register(0x2c, multicast_hash);
        break;
    case GET_LINK:
        result = link_up;
        break;
    case GET_ADDRESS:
        result = address_low;
        break;
    default:
        result = -EINVAL;
        break;
    }
    spin_unlock_irq(&tx_lock);
    return result;
}

static int ether_statistics(int which)
{
    int value;
    spin_lock(&stats_lock);
    switch (which) {
    case 0:
        value = stat_sent;
        break;
    case 1:
        value = stat_received;
        break;
    case 2:
        value = stat_dropped;
        break;
    default:
        value = stat_restarts;
        break;
    }
    spin_unlock(&stats_lock);
    return value;
}

/* ---- the interrupt ---- */

static void receive_one(void)
{
    int length = read_register(0x44);
    if (rx_waiting || length <= 0)
        return;
    rx_length = length;
    rx_waiting = 1;
}

static void *ether_interrupt(void *unused)
{
    int cause;
    irq_enter();
    spin_lock(&tx_lock);
    if (irq_unmasked) {
        cause = read_register(0x38);
        if ((cause & CAUSE_TX) && tx_reclaim() == 0)
            count(&stat_sent);
        if (cause & CAUSE_RX) {
            receive_one();
            count(&stat_received);
        }
        if (cause & CAUSE_LINK)
            link_up = read_register(0x40) & 1;
        if (cause & CAUSE_ERROR)
            tx_running = 0;
    }
    spin_unlock(&tx_lock);
    irq_exit();
    return 0;
}

/* ---- the watchdog ---- */

static void *ether_watchdog(void *unused)
{
    int restarted = 0;
    spin_lock(&config_lock);
    if (rings_ready) {
        spin_lock_irq(&tx_lock);
        if (tx_used > 0 && !tx_stuck) {
            tx_stuck = 1;
        } else if (tx_stuck || !tx_running) {
            tx_clear();
            tx_running = 1;
            restarted = 1;
        }
        spin_unlock_irq(&tx_lock);
    }
    spin_unlock(&config_lock);
    if (restarted)
        count(&stat_restarts);
    return 0;
}

static void *client(void *unused)
{
    switch (__VERIFIER_nondet_int()) {
    case 0:
        ether_open();
        break;
    case 1:
        ether_close();
        break;
    case 2:
        ether_transmit(__VERIFIER_nondet_int());
        break;
    case 3:
        ether_ioctl(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
        break;
    default:
        ether_statistics(__VERIFIER_nondet_int());
        break;
    }
    return 0;
}

int main(void)
{
    while (1) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            start(ether_interrupt);
            break;
        case 1:
            start(ether_watchdog);
            break;
        default:
            start(client);
            break;
        }
    }
}
