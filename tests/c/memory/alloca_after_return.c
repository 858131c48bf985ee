// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the memory goes with the function
#include <alloca.h>
static int *f(void) {
  int *p = alloca(sizeof(int));
  *p = 1;
  return p;
}
int main(void) {
  int *p = f();
  return *p; // FAILS
}
