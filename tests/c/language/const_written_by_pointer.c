// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an object of a const type must not be written
int main(void) {
  const int c = 3;
  int *p = (int *)&c;
  *p = 4; // FAILS
}
