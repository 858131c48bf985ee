/* As sensor.c, but the client does not wait for the sample. */
#define BUG
#include "sensor.c"
