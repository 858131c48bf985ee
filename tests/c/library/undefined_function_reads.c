// truth: safe
// property: assert
// why: what is const is not written
#include <assert.h>
extern int outside(const int *, const char *);
int main(void) {
  int x = 1;
  outside(&x, "text");
  assert(x == 1);
}
