// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: functions look at their variable arguments
#include <assert.h>
#include <stdarg.h>
struct point { int x, y; };
static long sum_of(int n, va_list list) {
  long sum = 0;
  while (n-- > 0)
    sum += va_arg(list, long);
  return sum;
}
static long sum(int n, ...) {
  va_list list, copy;
  va_start(list, n);
  va_copy(copy, list);
  long first = sum_of(n, list), second = sum_of(n, copy);
  va_end(copy);
  va_end(list);
  assert(first == second);
  return first;
}
static int mixed(const char *kinds, ...) {
  va_list list;
  int result = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++)
    if (*kinds == 'd')
      result += va_arg(list, int);
    else if (*kinds == 's')
      result += va_arg(list, const char *)[0];
    else
      result += va_arg(list, struct point).y;
  va_end(list);
  return result;
}
int main(void) {
  struct point p = {3, 4};
  long (*through)(int, ...) = sum;
  assert(sum(0) == 0 && sum(2, 10L, 20L) == 30 && through(1, 5L) == 5);
  assert(mixed("dps", 1, p, "A") == 1 + 4 + 'A');
}
