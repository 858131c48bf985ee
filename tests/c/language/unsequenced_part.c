// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: half of the variable is read while all of it is written
long g;
int main(void) {
  long *whole = &g;
  int *half = (int *)&g + 1;
  return (int)((*whole = 3) + (*half && 1)); // FAILS
}
