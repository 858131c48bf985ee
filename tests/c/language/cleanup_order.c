// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=safe cover=unknown(work)
// why: cleanup functions run in reverse order at every way out of a block
#include <assert.h>
static int log_[16], n;
static void put(int *p) { log_[n++] = *p; }
#define G __attribute__((cleanup(put)))
static int f(int k) {
  G int a = 1;
  for (int i = 0; i < 2; i++) {
    G int b = 2;
    if (k == 0) continue;
    if (k == 1) break;
    if (k == 2) goto out;
    if (k == 3) return a;
  }
  G int c = 3;
out:
  return n;
}
int main(void) {
  assert(f(0) == 2); /* 2 2 then the result, then 3 1 */
  assert(n == 4 && log_[0] == 2 && log_[1] == 2 && log_[2] == 3 && log_[3] == 1);
  n = 0;
  assert(f(1) == 1);
  assert(n == 3 && log_[0] == 2 && log_[1] == 3 && log_[2] == 1);
  n = 0;
  f(3);
  assert(n == 2 && log_[0] == 2 && log_[1] == 1);
  return 0;
}
