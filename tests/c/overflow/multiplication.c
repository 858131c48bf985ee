// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the product has 33 bits
int main(void) {
  int x = 65536;
  int y = x * x; // FAILS
  return y;
}
