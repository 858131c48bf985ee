// truth: unsafe
// property: deadlock
// engines: explore=unsafe
// why: a plain C11 mutex is locked again by its holder
#include <threads.h>
int main(void) {
  mtx_t m;
  mtx_init(&m, mtx_plain);
  mtx_lock(&m);
  mtx_lock(&m); // FAILS
}
