// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a GNU array of length zero takes no room
#include <assert.h>
#include <stdlib.h>
struct s { char c; int tail[0]; };
int main(void) {
  assert(sizeof(struct s) == 4);
  struct s *p = malloc(sizeof *p + 4);
  p->tail[0] = 7;
  assert(p->tail[0] == 7);
  free(p);
}
