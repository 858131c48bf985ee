/* serial.c without its bug. */
#define FIXED 1
#include "serial.c"
