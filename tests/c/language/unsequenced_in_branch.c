// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the second operand of || is evaluated, and writes what the other operand writes
int g, h;
int main(void) {
  int *p = &g;
  return (*p = 3) + (h || (g = 1)); // FAILS
}
