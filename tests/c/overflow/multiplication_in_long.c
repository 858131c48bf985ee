// truth: safe
// property: overflow
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: one operand is long
int main(void) {
  int x = 65536;
  long y = (long)x * x;
  return y == 0;
}
