// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(work) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: how many were assigned, and that the others keep their values
#include <assert.h>
#include <stdio.h>
int main(void) {
  int a = 0, b = 0;
  unsigned u;
  char word[8];
  assert(sscanf("12 -7 foo", "%d %d %7s", &a, &b, word) == 3);
  assert(a == 12 && b == -7 && word[0] == 'f' && word[3] == 0);
  assert(sscanf("x", "%d", &a) == 0 && a == 12);
  assert(sscanf("", "%d", &a) == EOF);
  assert(sscanf("ff", "%x", &u) == 1 && u == 255);
}
