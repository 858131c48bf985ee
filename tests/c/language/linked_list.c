// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: nodes are reached through their links
#include <assert.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    n->next = head;
    head = n;
  }
  int sum = 0, first = head->value;
  while (head) {
    struct node *n = head;
    sum = sum * 10 + n->value;
    head = n->next;
    free(n);
  }
  assert(first == 2 && sum == 210);
}
