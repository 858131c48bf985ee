/* As uart.c, but the settings are read without a lock. */
#define BUG
#include "uart.c"
