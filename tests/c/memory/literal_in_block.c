// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the literal lives as long as the block
int main(void) {
  int *p;
  p = &(int){5};
  { p = p; }
  if (*p != 5) *(int *)0 = 1;
  return 0;
}
