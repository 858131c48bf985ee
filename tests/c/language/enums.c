// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: enumerators count on from the last value given
#include <assert.h>
enum colour { red, green = 5, blue, black = -1, white };
int main(void) {
  enum colour c = blue;
  assert(red == 0 && c == 6 && white == 0 && black < red);
  enum { local = blue * 2 };
  assert(local == 12);
}
