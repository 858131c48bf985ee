// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: break, continue, do-while and for do what they should
#include <assert.h>
int main(void) {
  int s = 0, i;
  for (i = 0; i < 10; i++) {
    if (i == 3)
      continue;
    if (i == 6)
      break;
    s += i;
  }
  assert(s == 0 + 1 + 2 + 4 + 5 && i == 6);
  do
    s--;
  while (s > 10);
  assert(s == 10);
  do {
    i++;
    continue;
  } while (0);
  assert(i == 7);
  while (i-- > 5)
    ;
  assert(i == 4);
  for (;;) {
    if (++i == 6)
      break;
  }
  assert(i == 6);
}
