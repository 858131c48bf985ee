// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the function may replace a pointer, also by null
#include <assert.h>
struct operations { int (*open)(void); };
struct device { struct operations *operations; };
int enlist(struct device *device);
static int opened;
static int open_device(void) { return opened = 1; }
static struct operations operations = {open_device};
static struct device device = {&operations};
int main(void) {
  enlist(&device);
  operations.open();  // FAILS
  assert(opened == 1);
}
