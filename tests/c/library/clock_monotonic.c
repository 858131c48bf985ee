// truth: safe
// property: assert,overflow
// engines: explore=unknown(input_too_large) contexts=unknown(bound) tar=safe horn=safe cover=unknown(work)
// why: a monotonic clock does not go back, and its seconds are plausible
#include <assert.h>
#include <time.h>
int main(void) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  clock_gettime(CLOCK_MONOTONIC, &b);
  assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
  assert(b.tv_nsec < 1000000000);
  b.tv_sec += 1;
}
