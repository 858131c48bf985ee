// truth: safe
// property: assert
// why: exit runs no cleanup
#include <assert.h>
#include <stdlib.h>
static void put(int *p) { assert(0); }
int main(void) {
  int g __attribute__((cleanup(put))) = 0;
  exit(g);
}
