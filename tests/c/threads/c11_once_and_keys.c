// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(unsupported) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: call_once runs its function once; each thread has its own tss value
#include <assert.h>
#include <threads.h>
once_flag flag = ONCE_FLAG_INIT;
tss_t key;
int runs;
static void init(void) {
  runs++;
  tss_create(&key, 0);
}
static int work(void *arg) {
  call_once(&flag, init);
  assert(tss_get(key) == 0);
  tss_set(key, arg);
  assert(tss_get(key) == arg);
  return 0;
}
int main(void) {
  thrd_t t;
  int a, b;
  thrd_create(&t, work, &a);
  work(&b);
  thrd_join(t, 0);
  assert(runs == 1);
}
