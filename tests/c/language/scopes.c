// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: inner declarations hide outer ones until the block ends
#include <assert.h>
int x = 1;
int main(void) {
  assert(x == 1);
  int x = 2;
  {
    int x = 3;
    assert(x == 3);
    {
      extern int x;
      assert(x == 1);
    }
  }
  for (int x = 9; x < 10; x++)
    assert(x == 9);
  assert(x == 2);
  struct s { char c; };
  {
    struct s { int i; };
    assert(sizeof(struct s) == 4);
  }
  assert(sizeof(struct s) == 1);
}
