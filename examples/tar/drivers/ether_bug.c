/* As ether.c, but the last user clears the receive buffer while interrupts may still come. */
#define BUG
#include "ether.c"
