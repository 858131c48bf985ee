// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the block has ended, and so has its variable
int main(void) {
  int *p;
  {
    int y = 2;
    p = &y;
  }
  return *p; // FAILS
}
