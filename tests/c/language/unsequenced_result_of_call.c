// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the call says which variable is read, and nothing orders that and the assignment
int g;
static int *same(int *p) { return p; }
int main(void) {
  return *same(&g) + (g = 1); // FAILS
}
