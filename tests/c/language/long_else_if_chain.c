// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(work) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: an else-if chain of 3,000 arms, as generated code has
#include <assert.h>
#define ARM(k) else if (n == k) return 2 * (k);
#define TEN(k) ARM(k) ARM(k + 1) ARM(k + 2) ARM(k + 3) ARM(k + 4) ARM(k + 5) ARM(k + 6) \
  ARM(k + 7) ARM(k + 8) ARM(k + 9)
#define HUNDRED(k) TEN(k) TEN(k + 10) TEN(k + 20) TEN(k + 30) TEN(k + 40) TEN(k + 50) \
  TEN(k + 60) TEN(k + 70) TEN(k + 80) TEN(k + 90)
#define THOUSAND(k) HUNDRED(k) HUNDRED(k + 100) HUNDRED(k + 200) HUNDRED(k + 300) \
  HUNDRED(k + 400) HUNDRED(k + 500) HUNDRED(k + 600) HUNDRED(k + 700) HUNDRED(k + 800) \
  HUNDRED(k + 900)
static int f(int n) {
  if (n < 0)
    return 1;
  THOUSAND(0) THOUSAND(1000) THOUSAND(2000)
  return -1;
}
int main(void) { assert(f(2999) == 5998 && f(3000) == -1); }
