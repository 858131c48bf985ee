// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an order between pointers into different objects is undefined
int a[2], b[2];
int main(void) {
  int *p = a, *q = b;
  return p < q; // FAILS
}
