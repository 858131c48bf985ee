/* battery.c with its flight recorder, without its bug. */
#define FIXED 1
#define RECORDER 1
#include "battery.c"
