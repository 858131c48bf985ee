// truth: safe
// property: assert,memory
// back end: unwind=8 correct
// why: the copy is as long as the string
#include <assert.h>

char to[6];
int main(void) {
  const char *from = "hello";
  int i = 0;
  while ((to[i] = from[i]) != 0)
    i++;
  assert(i == 5 && to[0] == 'h' && to[4] == 'o' && to[5] == 0);
  return 0;
}
