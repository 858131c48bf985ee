// truth: unsafe
// property: overflow
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a signed bit-field of 40 bits overflows at 40 bits
struct { long wide : 40; } s = {0x7fffffffff};
int main(void) {
  long sum = s.wide + 1;  // FAILS
  return sum == 0;
}
