// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the list is empty
#include <stddef.h>
struct node { int v; struct node *next; };
struct node *head;
int main(void) {
  return head->v; // FAILS
}
