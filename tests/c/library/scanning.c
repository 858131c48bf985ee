// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(work) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: sscanf reads what the text has
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  int x, y;
  char w[8];
  assert(sscanf("12 abc 0x1f", "%d %7s %i", &x, w, &y) == 3);
  assert(x == 12 && strcmp(w, "abc") == 0 && y == 31);
  assert(sscanf("zz", "%d", &x) == 0 && sscanf("", "%d", &x) == EOF);
  assert(sscanf("7,8", "%d,%d", &x, &y) == 2 && x == 7 && y == 8);
  assert(sscanf("ab-c", "%7[a-z]", w) == 1 && strcmp(w, "ab") == 0);
}
