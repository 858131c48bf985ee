// truth: safe
// property: memory
// engines: explore=safe
// why: the pointer is tested before
struct node { int v; } *head;
int main(void) {
  if (head)
    return head->v;
  return 0;
}
