// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: qsort and bsearch call the comparison
#include <assert.h>
#include <stdlib.h>
#include <string.h>
static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}
int main(void) {
  int v[] = {4, 2, 3, 1};
  const char *names[] = {"c", "a", "b"};
  int key = 3;
  qsort(v, 4, sizeof v[0], by_number);
  assert(v[0] == 1 && v[1] == 2 && v[2] == 3 && v[3] == 4);
  assert(bsearch(&key, v, 4, sizeof v[0], by_number) == &v[2]);
  key = 9;
  assert(!bsearch(&key, v, 4, sizeof v[0], by_number));
  qsort(names, 3, sizeof names[0], by_text);
  assert(names[0][0] == 'a' && names[2][0] == 'c');
}
