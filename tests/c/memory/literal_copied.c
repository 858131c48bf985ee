// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: arrays that a literal initialises may be written
#include <string.h>
static void up(char *s) { for (; *s; s++) *s -= 32; }
static char g[] = "hello";
int main(void) { char b[8] = "abc"; const char *c = "lit"; up(b); up(g); strcpy(b, c); if (b[1] != 'i') *(int *)0 = 1; return 0; }
