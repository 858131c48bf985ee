// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a table of functions is called through its elements
#include <assert.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static op table[] = {add, &sub};
static int apply(op f, int a, int b) { return (*f)(a, b); }
int main(void) {
  assert(apply(table[0], 5, 3) == 8 && apply(table[1], 5, 3) == 2);
  op f = sub;
  assert(f == table[1] && f != add && f(1, 1) == 0);
  struct { op f; } s = {add};
  assert(s.f(2, 2) == 4);
}
