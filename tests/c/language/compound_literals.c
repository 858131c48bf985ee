// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a compound literal is an object of its own
#include <assert.h>
struct p { int x, y; };
static int sum(const struct p *p) { return p->x + p->y; }
int *global = (int[]){4, 5};
int main(void) {
  assert(sum(&(struct p){.y = 2, .x = 1}) == 3);
  int *a = (int[3]){1, 2};
  a[2] += 7;
  assert(a[1] == 2 && a[2] == 7);
  assert(global[1] == 5);
  struct p q = (struct p){3, 4};
  assert(q.y == 4);
}
