/* Barriers. Of a round, the last thread to arrive gets PTHREAD_BARRIER_SERIAL_THREAD (-1), as on
   Linux. The next round starts when all have left the last one; leaving never blocks, so no
   thread can tell the difference, and the state stays finite. */

typedef struct __selvedge_barrier {
  unsigned int needed;
  unsigned int waiting;
  unsigned int leaving;
} pthread_barrier_t;
typedef struct __selvedge_barrierattr { int shared; } pthread_barrierattr_t;

/* A program that initialises its barriers, all of them global, is believed to initialise each. */
static int tracked(void)
{
  return __selvedge_uses("undefined __selvedge_barrier") || __selvedge_uses("pthread_barrier_destroy")
         || !__selvedge_uses("pthread_barrier_init") || __selvedge_fails("pthread_barrier_init")
         || __selvedge_checks("deadlock");
}

/* As in mutex.c. */
static pthread_barrier_t *initialised;

__attribute__((selvedge_first_use))
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
                         unsigned int count)
{
  if (count == 0)
    return 22;
  if (__selvedge_may_fail("pthread_barrier_init") && __VERIFIER_nondet_bool()) {
    __VERIFIER_atomic_begin();
    barrier->needed = 0;
    __VERIFIER_atomic_end();
    return 12;
  }
  __VERIFIER_atomic_begin();
  if (__selvedge_uses("second pthread_barrier_init")) {
    __selvedge_defined(initialised != barrier, "deadlock",
                       "a barrier is initialised that is initialised already");
    if (!initialised && __VERIFIER_nondet_bool())
      initialised = barrier;
  }
  barrier->needed = count;
  barrier->waiting = 0;
  barrier->leaving = 0;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
  __VERIFIER_atomic_begin();
  __selvedge_defined(barrier->needed != 0, "deadlock",
                     "a barrier is destroyed that is not initialised");
  __selvedge_wait(barrier->leaving == 0);
  __selvedge_defined(barrier->waiting == 0, "deadlock",
                     "a barrier is destroyed while threads wait at it");
  if (__selvedge_uses("second pthread_barrier_init") && initialised == barrier)
    initialised = 0;
  barrier->needed = 0;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
  _Bool last = 0;
  __VERIFIER_atomic_begin();
  __selvedge_wait(barrier->leaving == 0);
  unsigned int needed = barrier->needed;
  unsigned int waiting = barrier->waiting;
  if (tracked())
    __selvedge_defined(needed != 0, "deadlock",
                       "a thread waits at a barrier that is not initialised");
  if (waiting + 1 == needed) {
    barrier->leaving = waiting;
    barrier->waiting = 0;
    last = 1;
  } else {
    barrier->waiting = waiting + 1;
  }
  __VERIFIER_atomic_end();
  if (last)
    return -1;
  __VERIFIER_atomic_begin();
  unsigned int leaving = barrier->leaving;
  __selvedge_wait(leaving != 0);
  barrier->leaving = leaving - 1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr) { return 0; }
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr) { return 0; }
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared) { return 0; }
