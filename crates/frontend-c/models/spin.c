/* POSIX spin locks: a lock whose waiters are busy. Waiting forever counts as a deadlock. */

typedef __selvedge_thread pthread_spinlock_t;

/* As in mutex.c. */
static pthread_spinlock_t *initialised;

__attribute__((selvedge_first_use))
int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
  if (__selvedge_may_fail("pthread_spin_init") && __VERIFIER_nondet_bool())
    return 12;
  __VERIFIER_atomic_begin();
  if (__selvedge_uses("second pthread_spin_init")) {
    __selvedge_defined(initialised != lock, "deadlock",
                       "a spin lock is initialised that is initialised already");
    if (!initialised && __VERIFIER_nondet_bool())
      initialised = lock;
  }
  *lock = __selvedge_none();
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock)
{
  __VERIFIER_atomic_begin();
  __selvedge_defined(*lock == __selvedge_none(), "deadlock", "a locked spin lock is destroyed");
  if (__selvedge_uses("second pthread_spin_init") && initialised == lock)
    initialised = 0;
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
  if (__selvedge_unheld()) {
    __VERIFIER_atomic_begin();
    __selvedge_defined(*lock == __selvedge_self(), "deadlock",
                       "unlock of a spin lock that the thread does not hold");
    __selvedge_unlock(lock);
    __VERIFIER_atomic_end();
  } else {
    __selvedge_unlock(lock);
  }
  return 0;
}
