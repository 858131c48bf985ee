// truth: unsafe
// property: memory
// why: nor by a library function
#include <string.h>
int main(void) { char *s = "abc"; strcpy(s, "x"); // FAILS
 return 0; }
