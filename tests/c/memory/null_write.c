// truth: unsafe
// property: memory
// engines: explore=unsafe
// why: a write through null
int main(void) {
  int *p = 0;
  *p = 1; // FAILS
  return 0;
}
