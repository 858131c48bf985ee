// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two structs overlap in part
#include <string.h>
struct pair { int a, b; };
int main(void) {
  int v[3] = {1, 2, 3};
  memcpy((struct pair *)(v + 1), (struct pair *)v, sizeof(struct pair)); // FAILS
  return v[2];
}
