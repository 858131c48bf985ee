/* POSIX threads: creation, join, identity, one-time initialisation, thread-specific data,
   attributes. */

typedef __selvedge_thread pthread_t;
typedef struct __selvedge_attr {
  int detached;
  int scope;
  int policy;
  int priority;
  int inherit;
  unsigned long stack_size;
  unsigned long guard_size;
  void *stack;
  int state;
} pthread_attr_t;
typedef int pthread_once_t;
typedef unsigned int pthread_key_t;

void __selvedge_destroy_values(void);
void __selvedge_run_handlers(void);

/* Where a program may join a thread twice, or detach one and join it, one thread that was joined or
   detached is remembered, whichever: it must not be joined or detached again. Where a program
   compares identifiers, one thread that was joined is remembered: another may have the same
   identifier, so comparing it is undefined. */
static __selvedge_thread claimed;
static __selvedge_thread joined;

/* Called where a thread is joined or detached. */
void __selvedge_claim(__selvedge_thread thread)
{
  if (__selvedge_uses("second join") || __selvedge_uses("pthread_attr_setdetachstate")) {
    __VERIFIER_atomic_begin();
    __selvedge_defined(claimed != thread, "deadlock",
                       "a thread is joined or detached that was joined or detached before");
    if (claimed == __selvedge_none() && __VERIFIER_nondet_bool())
      claimed = thread;
    __VERIFIER_atomic_end();
  }
}

static int compares(void)
{
  return (__selvedge_uses("pthread_equal") || __selvedge_uses("thrd_equal")
          || __selvedge_uses("thread comparison"))
         && (__selvedge_uses("pthread_join") || __selvedge_uses("thrd_join"));
}

/* Called where a thread has been joined. */
void __selvedge_gone(__selvedge_thread thread)
{
  if (compares()) {
    __VERIFIER_atomic_begin();
    if (joined == __selvedge_none() && __VERIFIER_nondet_bool())
      joined = thread;
    __VERIFIER_atomic_end();
  }
}

int __selvedge_equal(__selvedge_thread a, __selvedge_thread b)
{
  if (compares()) {
    __VERIFIER_atomic_begin();
    __selvedge_thread gone = joined;
    __selvedge_defined(gone == __selvedge_none() || (gone != a && gone != b), "assert",
                       "the identifier of a thread is compared after it was joined, when another "
                       "may have the same");
    __VERIFIER_atomic_end();
  }
  return a == b;
}

/* Where a program has thread-specific data, a thread runs the destructors after its function. */
static void *start_with_values(void *(*function)(void *), void *argument)
{
  void *result = function(argument);
  __selvedge_destroy_values();
  return result;
}

/* The identifier is a plain variable of the creating thread's: where others may reach it, it is
   written in the usual way once, before the new thread is there. */
void __selvedge_write_identifier(pthread_t *thread)
{
  if (__selvedge_checks("race") && __selvedge_uses("shared identifier"))
    *thread = __selvedge_none();
}

/* Where creation fails, what the identifier is then is undefined: none, which nobody may join or
   detach. */
void __selvedge_no_identifier(pthread_t *thread)
{
  *thread = __selvedge_none();
}

/* The identifier is stored before the new thread runs, as in glibc, though POSIX allows otherwise.
   Null for the place of the identifier is taken as "not wanted". */
__attribute__((selvedge_identifier))
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *),
                   void *argument)
{
  __selvedge_thread created;
  if (__selvedge_may_fail("pthread_create") && __VERIFIER_nondet_bool()) {
    if (thread)
      __selvedge_no_identifier(thread);
    return 11;
  }
  if (thread)
    __selvedge_write_identifier(thread);
  __VERIFIER_atomic_begin();
  if (__selvedge_uses("pthread_key_create") || __selvedge_uses("tss_create"))
    created = __selvedge_spawn(start_with_values, function, argument);
  else
    created = __selvedge_spawn(function, argument);
  if (thread)
    *thread = created;
  __VERIFIER_atomic_end();
  if (__selvedge_uses("pthread_attr_setdetachstate")) {
    if (attr && attr->detached)
      __selvedge_claim(created);
  }
  return 0;
}

/* A thread that joins itself, which is undefined, waits forever. */
__attribute__((selvedge_last_use))
int pthread_join(pthread_t thread, void **result)
{
  __selvedge_claim(thread);
  void *value = __selvedge_join(thread);
  __selvedge_gone(thread);
  if (result)
    *result = value;
  return 0;
}

/* Whether the thread has ended is not asked for: it may have, or not. */
__attribute__((selvedge_last_use))
int pthread_tryjoin_np(pthread_t thread, void **result)
{
  if (__VERIFIER_nondet_bool())
    return 16;
  return pthread_join(thread, result);
}

__attribute__((selvedge_last_use))
int pthread_timedjoin_np(pthread_t thread, void **result, const void *until)
{
  if (__VERIFIER_nondet_bool())
    return 110;
  return pthread_join(thread, result);
}

__attribute__((selvedge_last_use))
int pthread_clockjoin_np(pthread_t thread, void **result, int clock, const void *until)
{
  return pthread_timedjoin_np(thread, result, until);
}

void pthread_exit(void *value)
{
  if (__selvedge_uses("__pthread_register_cancel"))
    __selvedge_run_handlers();
  if (__selvedge_uses("pthread_key_create") || __selvedge_uses("tss_create"))
    __selvedge_destroy_values();
  __selvedge_end_thread(value);
}

pthread_t pthread_self(void)
{
  return __selvedge_self();
}

int pthread_equal(pthread_t a, pthread_t b)
{
  return __selvedge_equal(a, b);
}

__attribute__((selvedge_last_use))
int pthread_detach(pthread_t thread)
{
  __selvedge_claim(thread);
  return 0;
}

/* 0: not started, 1: running, 2: done. */
int pthread_once(pthread_once_t *control, void (*routine)(void))
{
  int state;
  __VERIFIER_atomic_begin();
  state = *control;
  __selvedge_wait(state != 1);
  if (state == 0)
    *control = 1;
  __VERIFIER_atomic_end();
  if (state == 0) {
    routine();
    __VERIFIER_atomic_begin();
    *control = 2;
    __VERIFIER_atomic_end();
  }
  return 0;
}

int pthread_cancel(pthread_t thread)
{
  __selvedge_unsupported("pthread_cancel");
  return 0;
}

/* Without cancellation these change nothing else. */
static _Thread_local int cancel_state;
static _Thread_local int cancel_type;

int pthread_setcancelstate(int state, int *old)
{
  if (state != 0 && state != 1)
    return 22;
  int before = cancel_state;
  cancel_state = state;
  if (old)
    *old = before;
  return 0;
}

int pthread_setcanceltype(int type, int *old)
{
  if (type != 0 && type != 1)
    return 22;
  int before = cancel_type;
  cancel_type = type;
  if (old)
    *old = before;
  return 0;
}

void pthread_testcancel(void) {}

int pthread_kill(pthread_t thread, int signal)
{
  __selvedge_unsupported("pthread_kill");
  return 0;
}

int pthread_yield(void) { return 0; }
int pthread_setconcurrency(int level) { return 0; }
int pthread_setschedparam(pthread_t thread, int policy, const void *param) { return 0; }
int pthread_setschedprio(pthread_t thread, int priority) { return 0; }
int pthread_setname_np(pthread_t thread, const char *name) { return 0; }

static void usable_attr(const pthread_attr_t *attr)
{
  __selvedge_defined(attr->state == 0, "deadlock",
                     "use of thread attributes that are not initialised or were destroyed");
}

/* The size of a stack is the system's choice, a page the usual guard. */
int pthread_attr_init(pthread_attr_t *attr)
{
  attr->detached = 0;
  attr->scope = 0;
  attr->policy = 0;
  attr->priority = 0;
  attr->inherit = 0;
  attr->stack_size = 8388608;
  attr->guard_size = 4096;
  attr->stack = 0;
  attr->state = 0;
  return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
  usable_attr(attr);
  attr->state = 1;
  return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
  usable_attr(attr);
  if (state != 0 && state != 1)
    return 22;
  attr->detached = state;
  return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
  usable_attr(attr);
  *state = attr->detached;
  return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, unsigned long size)
{
  usable_attr(attr);
  if (size < 16384)
    return 22;
  attr->stack_size = size;
  return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, unsigned long *size)
{
  usable_attr(attr);
  *size = attr->stack_size;
  return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, unsigned long size)
{
  usable_attr(attr);
  attr->guard_size = size;
  return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, unsigned long *size)
{
  usable_attr(attr);
  *size = attr->guard_size;
  return 0;
}

int pthread_attr_setstack(pthread_attr_t *attr, void *stack, unsigned long size)
{
  usable_attr(attr);
  if (size < 16384)
    return 22;
  attr->stack = stack;
  attr->stack_size = size;
  return 0;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **stack, unsigned long *size)
{
  usable_attr(attr);
  *stack = attr->stack;
  *size = attr->stack_size;
  return 0;
}

/* Threads compete with all others of the system (0); with those of the process only (1) is not
   supported by Linux. */
int pthread_attr_setscope(pthread_attr_t *attr, int scope)
{
  usable_attr(attr);
  if (scope == 1)
    return 95;
  return scope == 0 ? 0 : 22;
}

int pthread_attr_getscope(const pthread_attr_t *attr, int *scope)
{
  usable_attr(attr);
  *scope = attr->scope;
  return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy)
{
  usable_attr(attr);
  if (policy < 0 || policy > 2)
    return 22;
  attr->policy = policy;
  return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy)
{
  usable_attr(attr);
  *policy = attr->policy;
  return 0;
}

/* The first member of `struct sched_param` is the priority, its only one. */
int pthread_attr_setschedparam(pthread_attr_t *attr, const void *param)
{
  usable_attr(attr);
  attr->priority = *(const int *)param;
  return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, void *param)
{
  usable_attr(attr);
  *(int *)param = attr->priority;
  return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit)
{
  usable_attr(attr);
  if (inherit != 0 && inherit != 1)
    return 22;
  attr->inherit = inherit;
  return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit)
{
  usable_attr(attr);
  *inherit = attr->inherit;
  return 0;
}
