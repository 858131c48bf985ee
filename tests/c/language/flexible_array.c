// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a flexible array member lives in the bytes allocated behind the struct
#include <assert.h>
#include <stdlib.h>
struct packet { int n; int data[]; };
int main(void) {
  struct packet *p = malloc(sizeof *p + 3 * sizeof(int));
  p->n = 3;
  for (int i = 0; i < p->n; i++)
    p->data[i] = i * i;
  assert(sizeof(struct packet) == 4);
  assert(p->data[2] == 4 && p->n == 3);
  free(p);
}
