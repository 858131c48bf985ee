// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: one shifted into the sign bit
int main(void) {
  int x = 1, n = 31;
  int y = x << n; // FAILS
  return y;
}
