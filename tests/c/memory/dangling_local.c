// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the local's life ends with its function
static int *f(void) {
  int x = 1;
  int *p = &x;
  return p;
}
int main(void) {
  int *p = f();
  return *p; // FAILS
}
