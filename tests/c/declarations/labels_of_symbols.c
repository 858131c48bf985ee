// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: two names with one symbol are one function or variable
#include <assert.h>
extern int f(void) __asm__("g");
int g(void) { return 3; }
extern int x __asm__("y");
int y = 5;
#pragma redefine_extname old new
extern int old(void);
int new(void) { return 7; }
int main(void) {
  y = 6;
  assert(f() == 3 && x == 6 && old() == 7);
  return 0;
}
