// truth: unsafe
// property: assert
// model: ilp32
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an unsigned long of 32 bits wraps where one of 64 would not
extern void reach_error(void);
int main(void) {
  unsigned long x = 4000000000u;
  if (x + x < x)
    reach_error(); // FAILS
  return 0;
}
