/* As sensor.c, but whether there is room for one more client is first looked at without a lock. */
#define BUG
#include "sensor.c"
