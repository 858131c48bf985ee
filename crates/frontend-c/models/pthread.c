/* POSIX threads: creation, join, identity, one-time initialisation, thread-specific data,
   attributes. Creation never fails. */

typedef __selvedge_thread pthread_t;
typedef struct { int detached; } pthread_attr_t;
typedef int pthread_once_t;
typedef unsigned int pthread_key_t;

void __selvedge_destroy_values(void);

/* Where a program has thread-specific data, a thread runs the destructors after its function. */
static void *start_with_values(void *(*function)(void *), void *argument)
{
  void *result = function(argument);
  __selvedge_destroy_values();
  return result;
}

/* The identifier is stored before the new thread runs, as in glibc, though POSIX allows otherwise.
   Null for the place of the identifier is taken as "not wanted". */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *),
                   void *argument)
{
  __selvedge_thread created;
  __VERIFIER_atomic_begin();
  if (__selvedge_uses("pthread_key_create") || __selvedge_uses("tss_create"))
    created = __selvedge_spawn(start_with_values, function, argument);
  else
    created = __selvedge_spawn(function, argument);
  if (thread)
    *thread = created;
  __VERIFIER_atomic_end();
  return 0;
}

/* A thread that joins itself, which is undefined, waits forever. */
int pthread_join(pthread_t thread, void **result)
{
  void *value = __selvedge_join(thread);
  if (result)
    *result = value;
  return 0;
}

void pthread_exit(void *value)
{
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
  return a == b;
}

int pthread_detach(pthread_t thread)
{
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

/* Without cancellation these change nothing. */
int pthread_setcancelstate(int state, int *old)
{
  if (old)
    *old = 0;
  return 0;
}

int pthread_setcanceltype(int type, int *old)
{
  if (old)
    *old = 0;
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

int pthread_attr_init(pthread_attr_t *attr)
{
  attr->detached = 0;
  return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
  if (state != 0 && state != 1)
    return 22;
  attr->detached = state;
  return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
  *state = attr->detached;
  return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, unsigned long size) { return 0; }
int pthread_attr_setguardsize(pthread_attr_t *attr, unsigned long size) { return 0; }
int pthread_attr_setstack(pthread_attr_t *attr, void *stack, unsigned long size) { return 0; }
int pthread_attr_setscope(pthread_attr_t *attr, int scope) { return 0; }
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy) { return 0; }
int pthread_attr_setschedparam(pthread_attr_t *attr, const void *param) { return 0; }
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit) { return 0; }
