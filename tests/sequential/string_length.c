// truth: safe
// property: assert,memory
// back end: unwind=8 correct
// why: the pointer stops at the end of the string
#include <assert.h>

int main(void) {
  const char *s = "hello", *p = s;
  while (*p)
    p++;
  assert(p - s == 5);
  return 0;
}
