/* As sensor.c, but a client does not wait for the interrupt before it takes the sample. */
#define BUG_WAIT
#include "sensor.c"
