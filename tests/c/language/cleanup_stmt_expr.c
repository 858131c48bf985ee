// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: cleanup at the end of a statement expression, after its value
#include <assert.h>
static int n = 1;
static void put(int *p) { n = 0; }
int main(void) {
  int v = ({ int g __attribute__((cleanup(put))) = 0; n + g; });
  assert(v == 1 && n == 0);
  return 0;
}
