/* battery.c without its bug. */
#define FIXED 1
#include "battery.c"
