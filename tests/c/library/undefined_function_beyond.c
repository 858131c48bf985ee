// truth: unsafe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the pointer leads to an element of an array, and the function may write all of it
#include <assert.h>
struct part { int size; };
struct device { struct part *part; };
int enlist(struct device *device);
static struct part parts[2];
static struct device device = {&parts[1]};
int main(void) {
  enlist(&device);
  assert(parts[0].size == 0);  // FAILS
}
