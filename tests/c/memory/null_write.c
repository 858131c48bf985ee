// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a write through null
int main(void) {
  int *p = 0;
  *p = 1; // FAILS
  return 0;
}
