// truth: safe
// property: assert
// engines: explore=unknown(undefined) contexts=unknown(bound) tar=unknown(undefined) horn=unknown(undefined) cover=unknown(undefined)
// why: a fault that is not checked still keeps a SAFE from being claimed
#include <assert.h>
int a[2];
int main(void) {
  int i = 2;
  if (a[i])
    return 1;
  return 0;
}
