// truth: safe
// property: assert
// back end: unwind=2 bounded
// why: every node of the list holds one
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};
int main(void) {
  struct node *list = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    n->next = list;
    list = n;
  }
  for (; list; list = list->next)
    assert(list->value == 1);
  return 0;
}
