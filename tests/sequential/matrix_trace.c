// truth: safe
// property: assert,memory
// back end: unwind=4 correct
// why: the diagonal of the unit matrix sums up to its size
#include <assert.h>

int m[3][3];
int main(void) {
  int trace = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m[i][j] = i == j;
  for (int i = 0; i < 3; i++)
    trace += m[i][i];
  assert(trace == 3);
  return 0;
}
