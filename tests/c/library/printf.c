// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: printing has no effect, but its arguments are evaluated
#include <assert.h>
#include <stdio.h>
int main(void) {
  int i = 1;
  printf("%d %s\n", i++, "x");
  fprintf(stderr, "%d\n", ++i);
  puts("done");
  putchar('c');
  fflush(stdout);
  assert(i == 3);
}
