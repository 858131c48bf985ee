// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the first operand of && is read, and written beside it, in no order
int g;
int main(void) {
  int *p = &g;
  return (*p = 2) + (g && 1); // FAILS
}
