/* POSIX spin locks: a lock whose waiters are busy. Waiting forever counts as a deadlock. */

typedef __selvedge_thread pthread_spinlock_t;

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
  __VERIFIER_atomic_begin();
  *lock = __selvedge_none();
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
  __VERIFIER_atomic_begin();
  __selvedge_defined(*lock == __selvedge_none(), "deadlock", "a locked spin lock is destroyed");
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
  __selvedge_lock(lock);
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
  int result = 16;
  __VERIFIER_atomic_begin();
  if (*lock == __selvedge_none()) {
    __selvedge_lock(lock);
    result = 0;
  }
  __VERIFIER_atomic_end();
  return result;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
  __selvedge_unlock(lock);
  return 0;
}
