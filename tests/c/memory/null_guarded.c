// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the pointer is tested before
struct node { int v; } *head;
int main(void) {
  if (head)
    return head->v;
  return 0;
}
