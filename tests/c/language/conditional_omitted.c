// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe locks=safe
// why: a ?: b evaluates a once
#include <assert.h>
static int calls;
static int f(int v) { calls++; return v; }
int main(void) {
  assert((f(5) ?: 7) == 5 && calls == 1);
  assert((f(0) ?: 7) == 7 && calls == 2);
}
