// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: the text is written as the format says
#include <assert.h>
#include <stdio.h>
int main(void) {
  char b[8];
  sprintf(b, "%d", 5);
  assert(b[0] == '5');
}
