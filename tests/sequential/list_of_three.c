// truth: safe
// property: assert,memory
// back end: unwind=4 correct
// why: a list of known length is built, summed and freed
#include <assert.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};
int main(void) {
  struct node *list = 0;
  int sum = 0;
  for (int i = 1; i <= 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    n->next = list;
    list = n;
  }
  while (list) {
    struct node *next = list->next;
    sum += list->value;
    free(list);
    list = next;
  }
  assert(sum == 6);
  return 0;
}
