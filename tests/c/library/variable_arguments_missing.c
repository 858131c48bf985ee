// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two arguments are given, three are fetched
#include <stdarg.h>
static int sum(int n, ...) {
  va_list list;
  int result = 0;
  va_start(list, n);
  while (n-- > 0)
    result += va_arg(list, int); // FAILS
  va_end(list);
  return result;
}
int main(void) { return sum(3, 1, 2); }
