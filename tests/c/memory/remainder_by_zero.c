// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the divisor is zero
unsigned zero;
int main(void) {
  return 7u % zero; // FAILS
}
