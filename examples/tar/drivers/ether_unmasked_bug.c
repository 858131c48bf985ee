/* As ether.c, but the last user leaves the card's interrupts on when it clears the buffer. */
#define BUG_UNMASKED
#include "ether.c"
