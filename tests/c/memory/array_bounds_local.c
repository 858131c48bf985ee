// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a local array has bounds as well
int main(void) {
  int a[3] = {1, 2, 3}, n = 3;
  return a[n]; // FAILS
}
