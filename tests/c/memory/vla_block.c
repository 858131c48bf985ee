// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an array of runtime length ends with its block
int main(int argc, char **argv) {
  int *p;
  int n = 3;
  { int a[n]; p = a; a[2] = 1; }
  p[2] = 1; // FAILS
  return 0;
}
