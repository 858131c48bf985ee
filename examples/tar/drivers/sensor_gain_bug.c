/* As sensor.c, but the gain is read without a lock. */
#define BUG_GAIN
#include "sensor.c"
