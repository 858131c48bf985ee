/* Condition variables, with spurious wake-ups.

   Where deadlocks are not checked, to wait is to unlock and to lock again, and a signal does
   nothing: a waiter may wake spuriously at any time, so this is exact for every other property.

   Where they are checked, the waiters stand in a list. A waiter decides at the start whether it
   will wake spuriously; if not, it waits for a signal, perhaps forever. A signal chooses among
   those who wait at that time. A thread waits for one condition at a time, so one list element a
   thread is enough.

   `state` is zero in a condition that can be used, as that of a mutex.

   Threads that wait at the same time must do so with the same mutex. Where it is not clear from the
   text that they do ("several mutexes"), the condition remembers one of them, whichever, and its
   mutex, until that thread wakes up or anybody sends a signal, which may be what wakes it. */

typedef struct __selvedge_cond {
  int state;
  struct __selvedge_waiter *first;
  __selvedge_thread waiter;
  void *mutex;
} pthread_cond_t;
typedef struct __selvedge_condattr {
  int clock;
  int shared;
  int state;
} pthread_condattr_t;

struct __selvedge_mutex;
int pthread_mutex_lock(struct __selvedge_mutex *mutex);
int pthread_mutex_unlock(struct __selvedge_mutex *mutex);

struct __selvedge_waiter {
  struct __selvedge_waiter *next;
  _Bool woken;
};
static _Thread_local struct __selvedge_waiter self;

static int tracked(void)
{
  return __selvedge_uses("undefined __selvedge_cond") || __selvedge_uses("indirect __selvedge_cond")
         || __selvedge_uses("pthread_cond_destroy") || __selvedge_uses("cnd_destroy")
         || __selvedge_fails("pthread_cond_init") || __selvedge_fails("cnd_init");
}

/* Every use looks at the condition where that can go wrong. */
void __selvedge_cond_usable(pthread_cond_t *cond)
{
  if (tracked()) {
    __VERIFIER_atomic_begin();
    __selvedge_defined(cond->state == 0, "deadlock",
                       "use of a condition variable that is not initialised or was destroyed");
    __VERIFIER_atomic_end();
  }
}

static void usable_attr(const pthread_condattr_t *attr)
{
  __selvedge_defined(attr->state == 0, "deadlock",
                     "use of attributes of a condition that are not initialised or were destroyed");
}

/* Puts the thread in the list; in one atomic block with the unlock. */
void __selvedge_cond_enter(pthread_cond_t *cond)
{
  __VERIFIER_atomic_begin();
  self.woken = 0;
  self.next = cond->first;
  cond->first = &self;
  __VERIFIER_atomic_end();
}

void __selvedge_cond_await(void)
{
  __VERIFIER_atomic_begin();
  __selvedge_wait(self.woken);
  self.woken = 0;
  __VERIFIER_atomic_end();
}

/* The end of a timed wait: whether a signal came. If not, the thread leaves the list. */
_Bool __selvedge_cond_leave(pthread_cond_t *cond)
{
  _Bool woken;
  __VERIFIER_atomic_begin();
  woken = self.woken;
  self.woken = 0;
  if (!woken) {
    struct __selvedge_waiter *other = cond->first;
    if (other == &self) {
      cond->first = self.next;
    } else {
      while (other->next != &self)
        other = other->next;
      other->next = self.next;
    }
    self.next = 0;
  }
  __VERIFIER_atomic_end();
  return woken;
}

/* A thread begins to wait. */
void __selvedge_cond_bind(pthread_cond_t *cond, void *mutex)
{
  if (__selvedge_uses("several mutexes")) {
    __VERIFIER_atomic_begin();
    __selvedge_defined(cond->waiter == __selvedge_none() || cond->mutex == mutex, "deadlock",
                       "threads wait for one condition with different mutexes");
    if (cond->waiter == __selvedge_none() && __VERIFIER_nondet_bool()) {
      cond->waiter = __selvedge_self();
      cond->mutex = mutex;
    }
    __VERIFIER_atomic_end();
  }
}

/* A thread waits no longer. */
void __selvedge_cond_unbind(pthread_cond_t *cond)
{
  if (__selvedge_uses("several mutexes")) {
    __VERIFIER_atomic_begin();
    if (cond->waiter == __selvedge_self())
      cond->waiter = __selvedge_none();
    __VERIFIER_atomic_end();
  }
}

static void unbind_all(pthread_cond_t *cond)
{
  if (__selvedge_uses("several mutexes")) {
    __VERIFIER_atomic_begin();
    cond->waiter = __selvedge_none();
    __VERIFIER_atomic_end();
  }
}

/* As in mutex.c. */
static pthread_cond_t *initialised;

void __selvedge_cond_unusable(pthread_cond_t *cond)
{
  __VERIFIER_atomic_begin();
  cond->state = 1;
  __VERIFIER_atomic_end();
}

void __selvedge_cond_init(pthread_cond_t *cond)
{
  unbind_all(cond);
  if (tracked()) {
    __VERIFIER_atomic_begin();
    cond->state = 0;
    __VERIFIER_atomic_end();
  }
  if (__selvedge_checks("deadlock")) {
    __VERIFIER_atomic_begin();
    cond->first = 0;
    __VERIFIER_atomic_end();
  }
}

__attribute__((selvedge_first_use))
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
  if (attr)
    usable_attr(attr);
  if (__selvedge_may_fail("pthread_cond_init") && __VERIFIER_nondet_bool()) {
    __selvedge_cond_unusable(cond);
    return 12;
  }
  if (__selvedge_uses("second pthread_cond_init")) {
    __VERIFIER_atomic_begin();
    __selvedge_defined(initialised != cond, "deadlock",
                       "a condition variable is initialised that is initialised already");
    if (!initialised && __VERIFIER_nondet_bool())
      initialised = cond;
    __VERIFIER_atomic_end();
  }
  __selvedge_cond_init(cond);
  return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
  __selvedge_cond_usable(cond);
  __VERIFIER_atomic_begin();
  if (__selvedge_checks("deadlock"))
    __selvedge_check(cond->first == 0, "deadlock",
                     "a condition variable is destroyed while threads wait for it");
  if (__selvedge_uses("second pthread_cond_init") && initialised == cond)
    initialised = 0;
  cond->state = 1;
  __VERIFIER_atomic_end();
  return 0;
}

/* The first half of waiting. */
static int leave(pthread_cond_t *cond, struct __selvedge_mutex *mutex)
{
  int result;
  if (tracked() || __selvedge_uses("several mutexes")) {
    __VERIFIER_atomic_begin();
    __selvedge_cond_usable(cond);
    result = pthread_mutex_unlock(mutex);
    if (result == 0)
      __selvedge_cond_bind(cond, mutex);
    __VERIFIER_atomic_end();
  } else {
    result = pthread_mutex_unlock(mutex);
  }
  return result;
}

__attribute__((selvedge_waits))
int pthread_cond_wait(pthread_cond_t *cond, struct __selvedge_mutex *mutex)
{
  int result;
  if (!__selvedge_checks("deadlock") || __VERIFIER_nondet_bool()) {
    result = leave(cond, mutex);
    if (result == 0) {
      __selvedge_cond_unbind(cond);
      result = pthread_mutex_lock(mutex);
    }
  } else {
    __VERIFIER_atomic_begin();
    result = leave(cond, mutex);
    if (result == 0)
      __selvedge_cond_enter(cond);
    __VERIFIER_atomic_end();
    if (result == 0) {
      __selvedge_cond_await();
      __selvedge_cond_unbind(cond);
      result = pthread_mutex_lock(mutex);
    }
  }
  return result;
}

/* Never blocks for good, but can swallow a signal. */
__attribute__((selvedge_waits))
int pthread_cond_timedwait(pthread_cond_t *cond, struct __selvedge_mutex *mutex, const void *until)
{
  int result;
  _Bool signalled = 0;
  if (!__selvedge_checks("deadlock")) {
    result = leave(cond, mutex);
  } else {
    __VERIFIER_atomic_begin();
    result = leave(cond, mutex);
    if (result == 0)
      __selvedge_cond_enter(cond);
    __VERIFIER_atomic_end();
    if (result == 0)
      signalled = __selvedge_cond_leave(cond);
  }
  if (result == 0) {
    __selvedge_cond_unbind(cond);
    result = pthread_mutex_lock(mutex);
    if (!signalled && __VERIFIER_nondet_bool())
      result = 110;
  }
  return result;
}

__attribute__((selvedge_waits))
int pthread_cond_clockwait(pthread_cond_t *cond, struct __selvedge_mutex *mutex, int clock,
                           const void *until)
{
  return pthread_cond_timedwait(cond, mutex, until);
}

static void wake_one(pthread_cond_t *cond)
{
  __VERIFIER_atomic_begin();
  struct __selvedge_waiter *chosen = cond->first;
  if (chosen) {
    struct __selvedge_waiter *before = 0;
    while (chosen->next && __VERIFIER_nondet_bool()) {
      before = chosen;
      chosen = chosen->next;
    }
    if (before)
      before->next = chosen->next;
    else
      cond->first = chosen->next;
    chosen->next = 0;
    chosen->woken = 1;
  }
  __VERIFIER_atomic_end();
}

static void wake_all(pthread_cond_t *cond)
{
  __VERIFIER_atomic_begin();
  struct __selvedge_waiter *waiter = cond->first;
  cond->first = 0;
  while (waiter) {
    struct __selvedge_waiter *next = waiter->next;
    waiter->next = 0;
    waiter->woken = 1;
    waiter = next;
  }
  __VERIFIER_atomic_end();
}

int pthread_cond_signal(pthread_cond_t *cond)
{
  __selvedge_cond_usable(cond);
  unbind_all(cond);
  if (__selvedge_checks("deadlock"))
    wake_one(cond);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
  __selvedge_cond_usable(cond);
  unbind_all(cond);
  if (__selvedge_checks("deadlock"))
    wake_all(cond);
  return 0;
}

int pthread_condattr_init(pthread_condattr_t *attr)
{
  attr->clock = 0;
  attr->shared = 0;
  attr->state = 0;
  return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr)
{
  usable_attr(attr);
  attr->state = 1;
  return 0;
}

/* Linux knows the realtime clock (0) and the monotonic one (1) here. */
int pthread_condattr_setclock(pthread_condattr_t *attr, int clock)
{
  usable_attr(attr);
  if (clock != 0 && clock != 1)
    return 22;
  attr->clock = clock;
  return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, int *clock)
{
  usable_attr(attr);
  *clock = attr->clock;
  return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared)
{
  usable_attr(attr);
  if (shared != 0 && shared != 1)
    return 22;
  attr->shared = shared;
  return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared)
{
  usable_attr(attr);
  *shared = attr->shared;
  return 0;
}
