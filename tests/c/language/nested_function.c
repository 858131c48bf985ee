// truth: safe
// property: assert
// engines: explore=unknown(nested function) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a nested function sees the locals around it
#include <assert.h>
int main(void) {
  int x = 1;
  int get(void) { return x; }
  assert(get() == 1);
}
