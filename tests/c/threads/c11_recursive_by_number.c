// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a recursive mutex, whatever names its kind
#include <threads.h>
mtx_t m;
int main(void) {
  int kind = mtx_plain;
  kind |= 1;
  mtx_init(&m, kind);
  mtx_lock(&m);
  mtx_lock(&m);
  mtx_unlock(&m);
  mtx_unlock(&m);
  return 0;
}
