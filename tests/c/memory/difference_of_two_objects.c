// truth: unsafe
// property: memory
// engines: explore=unsafe
// why: a difference between pointers into different objects is undefined
int a[2], b[2];
int main(void) {
  int *p = a, *q = b;
  return q - p != 0; // FAILS
}
