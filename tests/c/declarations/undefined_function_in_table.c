// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the address of a function that is defined elsewhere is a constant of its own
#include <assert.h>
extern int open_it(void *);
extern int close_it(void *);
struct operations { int (*open)(void *), (*close)(void *); };
static const struct operations table = {.open = open_it, .close = close_it};
int main(void) {
  assert(table.open && table.open == open_it && table.open != table.close);
  return 0;
}
