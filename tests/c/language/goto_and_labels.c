// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: goto jumps forwards, backwards and out of nested loops
#include <assert.h>
int main(void) {
  int n = 0;
again:
  n++;
  if (n < 3)
    goto again;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      if (i * j == 6)
        goto out;
  assert(0);
out:
  assert(n == 3);
  goto end;
  n = 9;
end:;
  assert(n == 3);
}
