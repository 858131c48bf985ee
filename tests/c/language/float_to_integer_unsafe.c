// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: C leaves undefined what a number becomes that the integer type does not have
int main(void) {
  volatile double x = 2147483647.5;
  int fits = (int)x;
  x = x + 0.5;
  int more = (int)x; // FAILS
  return fits == more;
}
