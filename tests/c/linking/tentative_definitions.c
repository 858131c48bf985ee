// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a variable declared twice without initialiser is one variable, and its type is completed
#include <assert.h>
int x;
extern int a[];
int x;
int a[3] = {1, 2, 3};
static int y;
static int y = 4;
int main(void) {
  x = 3;
  assert(x == 3 && y == 4 && sizeof a == 12);
}
