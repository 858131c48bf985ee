// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a copy of the list goes on by itself
#include <assert.h>
#include <stdarg.h>
static int sum(int count, ...) {
  va_list all, first;
  int total = 0;
  va_start(all, count);
  va_copy(first, all);
  for (int i = 0; i < count; i++)
    total += va_arg(all, int);
  if (count > 0)
    total += 100 * va_arg(first, int);
  va_end(first);
  va_end(all);
  return total;
}
int main(void) {
  short three = 3;
  assert(sum(3, 1, 2, three) == 106);
  assert(sum(0) == 0);
}
