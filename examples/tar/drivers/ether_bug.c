/* As ether.c, but whether the transmitter runs is first looked at without a lock. */
#define BUG
#include "ether.c"
