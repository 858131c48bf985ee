// truth: unsafe
// property: deadlock
// engines: explore=unsafe
// why: the holder spins for ever
#include <pthread.h>
pthread_spinlock_t l;
int main(void) {
  pthread_spin_init(&l, 0);
  pthread_spin_lock(&l);
  pthread_spin_lock(&l); // FAILS
}
