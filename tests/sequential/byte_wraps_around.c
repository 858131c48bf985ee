// truth: safe
// property: assert
// back end: unwind=32 correct
// why: a byte comes back to zero after 256 steps
#include <assert.h>

int main(void) {
  unsigned char i = 0;
  int steps = 0;
  do {
    i++;
    steps++;
  } while (i != 0);
  assert(steps == 256);
  return 0;
}
