// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: each entry into the block makes a new object
int main(void) {
  int *p = 0;
  int k = 0;
again: {
    int x = 1;
    if (p) *p = 2; // FAILS
    p = &x;
  }
  if (k++ < 1) goto again;
  return 0;
}
