// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the holder spins for ever
#include <pthread.h>
pthread_spinlock_t l;
int main(void) {
  pthread_spin_init(&l, 0);
  pthread_spin_lock(&l);
  pthread_spin_lock(&l); // FAILS
}
