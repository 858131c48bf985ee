// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unsafe cover=unsafe
// why: an index of minus one
int a[4];
int main(void) {
  int i = 0;
  i--;
  return a[i]; // FAILS
}
