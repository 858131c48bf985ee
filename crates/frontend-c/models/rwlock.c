/* Read-write locks. Readers are preferred, as on Linux: a waiting writer does not keep readers out.
   Where deadlocks are checked, each thread remembers up to four read locks that it holds, and a lock
   remembers two of its readers: whoever waits for the writer or for one of these waits for a thread
   that is known, as with a mutex, so threads that wait for each other are found while others go on.
   `state` is zero in a lock that can be used, as that of a mutex. */

typedef struct __selvedge_rwlock {
  __selvedge_thread writer;
  __selvedge_thread reader[2];
  int readers;
  int state;
} pthread_rwlock_t;
typedef struct __selvedge_rwlockattr {
  int shared;
  int state;
} pthread_rwlockattr_t;

static int tracked(void)
{
  return __selvedge_uses("undefined __selvedge_rwlock") || __selvedge_uses("pthread_rwlock_destroy")
         || __selvedge_fails("pthread_rwlock_init");
}

/* Called inside an atomic block. */
static void usable(pthread_rwlock_t *lock)
{
  if (tracked())
    __selvedge_defined(lock->state == 0, "deadlock",
                       "use of a read-write lock that is not initialised or was destroyed");
}

static void usable_attr(const pthread_rwlockattr_t *attr)
{
  __selvedge_defined(attr->state == 0, "deadlock",
                     "use of attributes of a read-write lock that are not initialised or were "
                     "destroyed");
}

static _Thread_local pthread_rwlock_t *held[4];

static void remember(pthread_rwlock_t *lock)
{
  if (lock->reader[0] == __selvedge_none())
    __selvedge_lock(&lock->reader[0]);
  else if (lock->reader[1] == __selvedge_none())
    __selvedge_lock(&lock->reader[1]);
  int i = 0;
  while (i < 4 && held[i])
    i++;
  if (i == 4)
    __selvedge_unsupported("a thread with more than four read locks");
  held[i] = lock;
}

/* Whether the thread had it. */
static _Bool forget(pthread_rwlock_t *lock)
{
  int i = 0;
  while (i < 4 && held[i] != lock)
    i++;
  if (i == 4)
    return 0;
  held[i] = 0;
  if (lock->reader[0] == __selvedge_self())
    __selvedge_unlock(&lock->reader[0]);
  else if (lock->reader[1] == __selvedge_self())
    __selvedge_unlock(&lock->reader[1]);
  return 1;
}

/* As in mutex.c. */
static pthread_rwlock_t *initialised;

__attribute__((selvedge_first_use))
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)
{
  if (attr)
    usable_attr(attr);
  if (__selvedge_may_fail("pthread_rwlock_init") && __VERIFIER_nondet_bool()) {
    __VERIFIER_atomic_begin();
    lock->state = 1;
    __VERIFIER_atomic_end();
    return 12;
  }
  __VERIFIER_atomic_begin();
  if (__selvedge_uses("second pthread_rwlock_init")) {
    __selvedge_defined(initialised != lock, "deadlock",
                       "a read-write lock is initialised that is initialised already");
    if (!initialised && __VERIFIER_nondet_bool())
      initialised = lock;
  }
  lock->writer = __selvedge_none();
  if (__selvedge_checks("deadlock")) {
    lock->reader[0] = __selvedge_none();
    lock->reader[1] = __selvedge_none();
  }
  lock->readers = 0;
  if (tracked())
    lock->state = 0;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
  __VERIFIER_atomic_begin();
  usable(lock);
  __selvedge_defined(lock->writer == __selvedge_none() && lock->readers == 0, "deadlock",
                     "a locked read-write lock is destroyed");
  if (__selvedge_uses("second pthread_rwlock_init") && initialised == lock)
    initialised = 0;
  lock->state = 1;
  __VERIFIER_atomic_end();
  return 0;
}

/* Called inside an atomic block, as is the next one. */
static void await_writer(pthread_rwlock_t *lock)
{
  if (__selvedge_checks("deadlock")) {
    __selvedge_lock(&lock->writer);
    __selvedge_unlock(&lock->writer);
  } else {
    __selvedge_wait(lock->writer == __selvedge_none());
  }
}

static void await_readers(pthread_rwlock_t *lock)
{
  if (__selvedge_checks("deadlock")) {
    if (lock->reader[0] != __selvedge_none())
      __selvedge_lock(&lock->reader[0]);
    if (lock->reader[1] != __selvedge_none())
      __selvedge_lock(&lock->reader[1]);
  }
  __selvedge_wait(lock->readers == 0);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
  int result = 0;
  __VERIFIER_atomic_begin();
  usable(lock);
  __selvedge_thread writer = lock->writer;
  if (writer == __selvedge_self()) {
    __selvedge_check(0, "deadlock", "a thread that holds the write lock asks for a read lock");
    result = 35;
  } else {
    await_writer(lock);
    lock->readers = lock->readers + 1;
    if (__selvedge_checks("deadlock"))
      remember(lock);
  }
  __VERIFIER_atomic_end();
  return result;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
  int result = 16;
  __VERIFIER_atomic_begin();
  usable(lock);
  if (lock->writer == __selvedge_none()) {
    lock->readers = lock->readers + 1;
    if (__selvedge_checks("deadlock"))
      remember(lock);
    result = 0;
  }
  __VERIFIER_atomic_end();
  return result;
}

/* Whether the calling thread is the writer: then it would wait for itself. */
static _Bool writes(pthread_rwlock_t *lock)
{
  _Bool mine;
  __VERIFIER_atomic_begin();
  mine = lock->writer == __selvedge_self();
  __VERIFIER_atomic_end();
  return mine;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const void *until)
{
  int result = pthread_rwlock_tryrdlock(lock);
  if (result == 0)
    return 0;
  return writes(lock) ? 35 : 110;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, int clock, const void *until)
{
  return pthread_rwlock_timedrdlock(lock, until);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
  int result = 0;
  __VERIFIER_atomic_begin();
  usable(lock);
  if (lock->writer == __selvedge_self()) {
    __selvedge_check(0, "deadlock", "a thread asks for a write lock that it already holds");
    result = 35;
  } else {
    await_readers(lock);
    __selvedge_lock(&lock->writer);
  }
  __VERIFIER_atomic_end();
  return result;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
  int result = 16;
  __VERIFIER_atomic_begin();
  usable(lock);
  if (lock->writer == __selvedge_none() && lock->readers == 0) {
    __selvedge_lock(&lock->writer);
    result = 0;
  }
  __VERIFIER_atomic_end();
  return result;
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const void *until)
{
  int result = pthread_rwlock_trywrlock(lock);
  if (result == 0)
    return 0;
  return writes(lock) ? 35 : 110;
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, int clock, const void *until)
{
  return pthread_rwlock_timedwrlock(lock, until);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
  __VERIFIER_atomic_begin();
  usable(lock);
  if (lock->writer == __selvedge_self()) {
    __selvedge_unlock(&lock->writer);
  } else {
    if (__selvedge_checks("deadlock")) {
      _Bool was_held = forget(lock);
      __selvedge_defined(was_held, "deadlock",
                         "a thread unlocks a read-write lock that it does not hold");
    }
    int readers = lock->readers;
    __selvedge_defined(readers > 0, "deadlock", "unlock of a read-write lock that nobody holds");
    lock->readers = readers - 1;
  }
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr)
{
  attr->shared = 0;
  attr->state = 0;
  return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr)
{
  usable_attr(attr);
  attr->state = 1;
  return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared)
{
  usable_attr(attr);
  if (shared != 0 && shared != 1)
    return 22;
  attr->shared = shared;
  return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared)
{
  usable_attr(attr);
  *shared = attr->shared;
  return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind)
{
  if (kind != 0)
    __selvedge_unsupported("read-write locks that prefer writers");
  return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind)
{
  usable_attr(attr);
  *kind = 0;
  return 0;
}
