/* As radio.c, but an error code is read behind the lock. */
#define BUG
#include "radio.c"
