// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: what OpenMP makes of the statement is not known
#include <assert.h>
int main(void) {
  int n = 0;
#pragma omp parallel for reduction(+ : n)
  for (int i = 0; i < 3; i++)
    n++;
  assert(n == 3);
  return 0;
}
