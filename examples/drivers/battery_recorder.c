/* battery.c with its flight recorder. */
#define RECORDER 1
#include "battery.c"
