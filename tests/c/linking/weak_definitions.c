// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// with: parts/strong.c
// why: a definition that is not weak counts, in whichever file
#include <assert.h>
__attribute__((weak)) int f(void) { return 1; }
int g __attribute__((weak)) = 1;
extern int h(void);
int main(void) {
  assert(f() == 2 && g == 2 && h() == 5);
  return 0;
}
