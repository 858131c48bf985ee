// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the third call may come between the others
#include <assert.h>
static int n; static int log_[3];
static int p(int k) { log_[n++] = k; return 0; }
int main(void) { p(1) + p(2) + p(3); assert(!(log_[0] == 1 && log_[1] == 3)); // FAILS
 return 0; }
