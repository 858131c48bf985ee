// truth: unsafe
// property: assert
// back end: unwind=4 wrong
// why: the second node holds something else
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};
int main(void) {
  struct node *list = 0;
  int count = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->value = ++count;
    n->next = list;
    list = n;
  }
  for (; list; list = list->next)
    assert(list->value != 2); // FAILS
  return 0;
}
