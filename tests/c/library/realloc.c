// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: realloc keeps the content as far as both sizes go
#include <assert.h>
#include <stdlib.h>
int main(void) {
  char *p = malloc(2);
  p[0] = 'a';
  p[1] = 'b';
  p = realloc(p, 4);
  p[3] = 'd';
  assert(p[0] == 'a' && p[1] == 'b' && p[3] == 'd');
  p = realloc(p, 1);
  assert(p[0] == 'a');
  free(p);
  int *q = realloc(0, sizeof *q);
  *q = 3;
  assert(*q == 3);
  free(q);
}
