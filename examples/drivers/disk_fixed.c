/* disk.c without its bug. */
#define FIXED 1
#include "disk.c"
