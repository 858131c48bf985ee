// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the local's life ends with its block
int main(void) {
  int *p;
  {
    int x = 1;
    p = &x;
  }
  return *p; // FAILS
}
