/* Unnamed POSIX semaphores. Errors: -1, and errno as on Linux. `ready` is one from initialisation to
   destruction; there is no static initialiser. */

typedef struct __selvedge_sem {
  unsigned int value;
  int ready;
} sem_t;

void __selvedge_set_errno(int number);

static int fail(int error)
{
  __selvedge_set_errno(error);
  return -1;
}

/* A program that initialises its semaphores, all of them global, is believed to initialise each. */
static int tracked(void)
{
  return __selvedge_uses("undefined __selvedge_sem") || __selvedge_uses("sem_destroy")
         || !__selvedge_uses("sem_init") || __selvedge_fails("sem_init");
}

/* Called inside an atomic block. */
static void usable(sem_t *sem)
{
  if (tracked())
    __selvedge_defined(sem->ready == 1, "deadlock",
                       "use of a semaphore that is not initialised or was destroyed");
}

/* As in mutex.c. */
static sem_t *initialised;

__attribute__((selvedge_first_use))
int sem_init(sem_t *sem, int shared, unsigned int value)
{
  if (value > 2147483647u)
    return fail(22);
  if (__selvedge_may_fail("sem_init") && __VERIFIER_nondet_bool()) {
    __VERIFIER_atomic_begin();
    sem->ready = 0;
    __VERIFIER_atomic_end();
    return fail(28);
  }
  __VERIFIER_atomic_begin();
  if (__selvedge_uses("second sem_init")) {
    __selvedge_defined(initialised != sem, "deadlock",
                       "a semaphore is initialised that is initialised already");
    if (!initialised && __VERIFIER_nondet_bool())
      initialised = sem;
  }
  sem->value = value;
  if (tracked())
    sem->ready = 1;
  __VERIFIER_atomic_end();
  return 0;
}

int sem_destroy(sem_t *sem)
{
  __VERIFIER_atomic_begin();
  usable(sem);
  if (__selvedge_uses("second sem_init") && initialised == sem)
    initialised = 0;
  sem->ready = 0;
  __VERIFIER_atomic_end();
  return 0;
}

int sem_wait(sem_t *sem)
{
  __VERIFIER_atomic_begin();
  usable(sem);
  unsigned int value = sem->value;
  __selvedge_wait(value > 0);
  sem->value = value - 1;
  __VERIFIER_atomic_end();
  return 0;
}

/* Whether the semaphore could be taken at once. */
static _Bool take(sem_t *sem)
{
  _Bool taken = 0;
  __VERIFIER_atomic_begin();
  usable(sem);
  unsigned int value = sem->value;
  if (value > 0) {
    sem->value = value - 1;
    taken = 1;
  }
  __VERIFIER_atomic_end();
  return taken;
}

int sem_trywait(sem_t *sem)
{
  return take(sem) ? 0 : fail(11);
}

int sem_timedwait(sem_t *sem, const void *until)
{
  return take(sem) ? 0 : fail(110);
}

int sem_clockwait(sem_t *sem, int clock, const void *until)
{
  return sem_timedwait(sem, until);
}

int sem_post(sem_t *sem)
{
  _Bool full;
  __VERIFIER_atomic_begin();
  usable(sem);
  unsigned int value = sem->value;
  full = value == 2147483647u;
  if (!full)
    sem->value = value + 1;
  __VERIFIER_atomic_end();
  return full ? fail(75) : 0;
}

int sem_getvalue(sem_t *sem, int *result)
{
  unsigned int value;
  __VERIFIER_atomic_begin();
  usable(sem);
  value = sem->value;
  __VERIFIER_atomic_end();
  *result = value;
  return 0;
}

sem_t *sem_open(const char *name, int flags, ...)
{
  __selvedge_unsupported("named semaphores");
  return 0;
}

int sem_close(sem_t *sem)
{
  __selvedge_unsupported("named semaphores");
  return 0;
}

int sem_unlink(const char *name)
{
  __selvedge_unsupported("named semaphores");
  return 0;
}
