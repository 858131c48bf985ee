// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the divisor is zero
int zero;
int main(void) {
  return 1 / zero; // FAILS
}
