// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: a jump through a table of labels
#include <assert.h>
int main(void) {
  static void *table[] = {&&a, &&b, &&done};
  int n = 0, i = 0;
  goto *table[i];
a:
  n += 1;
  goto *table[++i];
b:
  n += 10;
  goto *table[++i];
done:
  assert(n == 11);
}
