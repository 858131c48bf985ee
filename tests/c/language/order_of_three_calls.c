// truth: unsafe
// property: assert
// why: the third call may come between the others
#include <assert.h>
static int n; static int log_[3];
static int p(int k) { log_[n++] = k; return 0; }
int main(void) { p(1) + p(2) + p(3); assert(!(log_[0] == 1 && log_[1] == 3)); // FAILS
 return 0; }
