/* As sensor.c, but the device is turned on without a lock. */
#define BUG_POWER
#include "sensor.c"
