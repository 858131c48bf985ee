// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: rows of a matrix lie one behind the other
#include <assert.h>
int m[3][4];
int main(void) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      m[i][j] = 10 * i + j;
  int *p = &m[0][0];
  assert(p[7] == 13);
  int (*row)[4] = m;
  assert(row[2][1] == 21 && *(*(m + 1) + 2) == 12);
  assert(sizeof m == 48 && sizeof m[0] == 16);
}
