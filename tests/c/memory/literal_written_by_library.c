// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: nor by a library function
#include <string.h>
int main(void) { char *s = "abc"; strcpy(s, "x"); // FAILS
 return 0; }
