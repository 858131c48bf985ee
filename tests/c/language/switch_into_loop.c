// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: Duff's device jumps into the middle of a loop
#include <assert.h>
int main(void) {
  int n = 0, count = 7, rounds = (count + 3) / 4;
  switch (count % 4) {
  case 0: do { n++;
  case 3:      n++;
  case 2:      n++;
  case 1:      n++;
          } while (--rounds > 0);
  }
  assert(n == 7);
}
