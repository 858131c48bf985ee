// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: += is an addition in the promoted type
int main(void) {
  int x = 2000000000;
  x += x; // FAILS
  return x;
}
