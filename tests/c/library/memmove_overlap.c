// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: memmove copies as if there were a third object
#include <assert.h>
#include <string.h>
struct triple { int a, b, c; };
int main(void) {
  int v[5] = {1, 2, 3, 4, 5};
  memmove((struct triple *)(v + 1), (struct triple *)v, sizeof(struct triple));
  assert(v[1] == 1 && v[2] == 2 && v[3] == 3);
  memmove(v, v + 1, 3 * sizeof *v);
  assert(v[0] == 1 && v[1] == 2 && v[2] == 3);
}
