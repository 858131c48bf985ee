// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: from a member's address back to the struct around it
#include <assert.h>
#include <stddef.h>
struct item { int key; struct link { struct link *next; } link; };
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
int main(void) {
  struct item it = {.key = 7};
  struct link *l = &it.link;
  assert(container_of(l, struct item, link)->key == 7);
}
