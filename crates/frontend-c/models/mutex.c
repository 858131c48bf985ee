/* POSIX mutexes. Kinds as on Linux: 0 normal, 1 recursive, 2 error-checking, 3 adaptive (behaves as
   normal). `count` is the number of locks after the first. A program that never chooses a kind has
   normal mutexes only, and a lock or an unlock is a single action.

   `state` is zero in a mutex that can be used: static ones need no initialisation. Memory that
   nobody has written may hold anything else. It is looked at only where a mutex can lie in such
   memory, or be destroyed.

   To unlock a normal mutex that the thread does not hold is undefined. It is looked for where the
   locks certainly held do not exclude it (`__selvedge_unheld`). */

typedef struct __selvedge_mutex {
  __selvedge_thread holder;
  int count;
  int kind __attribute__((selvedge_chosen_by(
      "pthread_mutexattr_settype", "PTHREAD_MUTEX_RECURSIVE", "PTHREAD_MUTEX_RECURSIVE_NP",
      "PTHREAD_MUTEX_ERRORCHECK", "PTHREAD_MUTEX_ERRORCHECK_NP")));
  int state;
} pthread_mutex_t;
typedef struct __selvedge_mutexattr {
  int kind;
  int shared;
  int protocol;
  int ceiling;
  int state;
} pthread_mutexattr_t;

static int tracked(void)
{
  return __selvedge_uses("undefined __selvedge_mutex") || __selvedge_uses("pthread_mutex_destroy")
         || __selvedge_fails("pthread_mutex_init");
}

/* Called inside an atomic block. */
static void usable(pthread_mutex_t *mutex)
{
  if (tracked())
    __selvedge_defined(mutex->state == 0, "deadlock",
                       "use of a mutex that is not initialised or was destroyed");
}

/* Where one mutex may be initialised twice, one that is initialised, whichever, is remembered. */
static pthread_mutex_t *initialised;

/* Called inside an atomic block, as is `ends`. */
static void begins(pthread_mutex_t *mutex)
{
  if (__selvedge_uses("second pthread_mutex_init")) {
    __selvedge_defined(initialised != mutex, "deadlock",
                       "a mutex is initialised that is initialised already");
    if (!initialised && __VERIFIER_nondet_bool())
      initialised = mutex;
  }
}

static void ends(pthread_mutex_t *mutex)
{
  if (__selvedge_uses("second pthread_mutex_init") && initialised == mutex)
    initialised = 0;
}

static void usable_attr(const pthread_mutexattr_t *attr)
{
  __selvedge_defined(attr->state == 0, "deadlock",
                     "use of mutex attributes that are not initialised or were destroyed");
}

__attribute__((selvedge_first_use))
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
  if (attr)
    usable_attr(attr);
  if (__selvedge_may_fail("pthread_mutex_init") && __VERIFIER_nondet_bool()) {
    __VERIFIER_atomic_begin();
    mutex->state = 1;
    __VERIFIER_atomic_end();
    return 12;
  }
  __VERIFIER_atomic_begin();
  begins(mutex);
  mutex->holder = __selvedge_none();
  if (__selvedge_uses("pthread_mutexattr_settype")) {
    mutex->count = 0;
    mutex->kind = attr ? attr->kind : 0;
  }
  if (tracked())
    mutex->state = 0;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
  __VERIFIER_atomic_begin();
  usable(mutex);
  __selvedge_defined(mutex->holder == __selvedge_none(), "deadlock", "a locked mutex is destroyed");
  ends(mutex);
  mutex->state = 1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
  int result = 0;
  if (!__selvedge_uses("pthread_mutexattr_settype") && !tracked()) {
    __selvedge_lock(&mutex->holder);
  } else {
    __VERIFIER_atomic_begin();
    usable(mutex);
    if (!__selvedge_uses("pthread_mutexattr_settype"))
      __selvedge_lock(&mutex->holder);
    else if (mutex->holder != __selvedge_self())
      __selvedge_lock(&mutex->holder);
    else if (mutex->kind == 1)
      mutex->count = mutex->count + 1;
    else if (mutex->kind == 2)
      result = 35;
    else
      __selvedge_lock(&mutex->holder);
    __VERIFIER_atomic_end();
  }
  return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
  int result = 0;
  __VERIFIER_atomic_begin();
  usable(mutex);
  if (mutex->holder == __selvedge_none())
    __selvedge_lock(&mutex->holder);
  else if (__selvedge_uses("pthread_mutexattr_settype") && mutex->kind == 1
           && mutex->holder == __selvedge_self())
    mutex->count = mutex->count + 1;
  else
    result = 16;
  __VERIFIER_atomic_end();
  return result;
}

/* Waiting is standing before the call; running into a held mutex is the end of the time. So a
   timed lock never blocks for good. */
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const void *until)
{
  int result = 0;
  __VERIFIER_atomic_begin();
  usable(mutex);
  if (mutex->holder == __selvedge_none())
    __selvedge_lock(&mutex->holder);
  else if (__selvedge_uses("pthread_mutexattr_settype") && mutex->holder == __selvedge_self()
           && mutex->kind == 1)
    mutex->count = mutex->count + 1;
  else if (__selvedge_uses("pthread_mutexattr_settype") && mutex->holder == __selvedge_self()
           && mutex->kind == 2)
    result = 35;
  else
    result = 110;
  __VERIFIER_atomic_end();
  return result;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, int clock, const void *until)
{
  return pthread_mutex_timedlock(mutex, until);
}

/* Called inside an atomic block. */
static void release(pthread_mutex_t *mutex)
{
  if (__selvedge_unheld())
    __selvedge_defined(mutex->holder == __selvedge_self(), "deadlock",
                       "unlock of a mutex that the thread does not hold");
  __selvedge_unlock(&mutex->holder);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  int result = 0;
  if (!__selvedge_uses("pthread_mutexattr_settype") && !__selvedge_unheld()
      && !tracked()) {
    __selvedge_unlock(&mutex->holder);
  } else {
    __VERIFIER_atomic_begin();
    usable(mutex);
    if (!__selvedge_uses("pthread_mutexattr_settype"))
      release(mutex);
    else if ((mutex->kind == 1 || mutex->kind == 2) && mutex->holder != __selvedge_self())
      result = 1;
    else if (mutex->kind == 1 && mutex->count > 0)
      mutex->count = mutex->count - 1;
    else
      release(mutex);
    __VERIFIER_atomic_end();
  }
  return result;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
  if (__selvedge_may_fail("pthread_mutexattr_init") && __VERIFIER_nondet_bool())
    return 12;
  attr->kind = 0;
  attr->shared = 0;
  attr->protocol = 0;
  attr->ceiling = 1;
  attr->state = 0;
  return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr)
{
  usable_attr(attr);
  attr->state = 1;
  return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind)
{
  usable_attr(attr);
  if (kind < 0 || kind > 3)
    return 22;
  attr->kind = kind;
  return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind)
{
  usable_attr(attr);
  *kind = attr->kind;
  return 0;
}

/* Priorities do not exist here, and all threads belong to one process. */
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared)
{
  usable_attr(attr);
  if (shared != 0 && shared != 1)
    return 22;
  attr->shared = shared;
  return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared)
{
  usable_attr(attr);
  *shared = attr->shared;
  return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
  usable_attr(attr);
  if (protocol < 0 || protocol > 2)
    return 22;
  attr->protocol = protocol;
  return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol)
{
  usable_attr(attr);
  *protocol = attr->protocol;
  return 0;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling)
{
  usable_attr(attr);
  if (ceiling < 1 || ceiling > 99)
    return 22;
  attr->ceiling = ceiling;
  return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling)
{
  usable_attr(attr);
  *ceiling = attr->ceiling;
  return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust)
{
  if (robust != 0)
    __selvedge_unsupported("robust mutexes");
  return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust)
{
  usable_attr(attr);
  *robust = 0;
  return 0;
}

int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
  __selvedge_unsupported("robust mutexes");
  return 0;
}
