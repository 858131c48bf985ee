// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the compound literal of a loop's body ends with each round
int main(void) {
  int *p = 0;
  for (int i = 0; i < 2; i++) {
    if (p) *p = 1; // FAILS
    p = &(int){i};
  }
  return 0;
}
