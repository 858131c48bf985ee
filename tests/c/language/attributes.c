// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: attributes are read over wherever GNU C allows them
#include <assert.h>
__attribute__((noinline, unused)) static int f(int a __attribute__((unused))) { return 3; }
static inline __attribute__((always_inline)) int g(void) { return 4; }
struct __attribute__((aligned(8))) s { char c; } __attribute__((may_alias));
int v __attribute__((section(".data"))) = 2;
extern void stop(void) __attribute__((noreturn, cold));
[[gnu::unused]] static int w;
int main(void) {
  int unused __attribute__((unused, aligned(16)));
  switch (v) {
  case 2:
    v++;
    __attribute__((fallthrough));
  case 3:
    v++;
  }
  assert(f(1) == 3 && g() == 4 && v == 4 && sizeof(struct s) == 8);
}
