// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: arguments are taken off the list in order
#include <assert.h>
#include <stdarg.h>
static int sum(int n, ...) {
  va_list list;
  int s = 0;
  va_start(list, n);
  while (n--)
    s += va_arg(list, int);
  va_end(list);
  return s;
}
int main(void) { assert(sum(3, 1, 2, 3) == 6); }
