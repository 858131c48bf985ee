// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the length of the array is a variable
#include <assert.h>
static int sum(int n) {
  int a[n];
  int s = 0;
  for (int i = 0; i < n; i++)
    a[i] = i;
  for (int i = 0; i < n; i++)
    s += a[i];
  assert(sizeof a == n * sizeof(int));
  return s;
}
int main(void) { assert(sum(4) == 6 && sum(2) == 1); }
