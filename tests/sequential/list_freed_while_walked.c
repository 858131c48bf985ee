// truth: unsafe
// property: memory
// back end: unwind=4 wrong
// why: the next node is read from one that is freed
#include <stdlib.h>

struct node {
  struct node *next;
};
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 2; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = list;
    list = n;
  }
  while (list) {
    free(list);
    list = list->next; // FAILS
  }
  return 0;
}
