// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: pointers count in elements; differences too
#include <assert.h>
int a[5] = {1, 2, 3, 4, 5};
int main(void) {
  int *p = a + 1, *q = &a[4];
  assert(q - p == 3 && *(q - 2) == 3 && p < q && q >= p);
  p += 2;
  assert(*p == 4 && p[-1] == 3 && 1[p] == 5);
  assert(*p++ == 4 && *p == 5 && *--p == 4);
  char *c = (char *)a;
  assert(*(int *)(c + 8) == 3);
}
