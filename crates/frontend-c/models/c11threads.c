/* C11 <threads.h>. Results: 0 success, 1 busy, 2 error, 3 no memory, 4 timed out. */

typedef __selvedge_thread thrd_t;
typedef unsigned int tss_t;
typedef struct __selvedge_mtx {
  __selvedge_thread holder;
  int count;
  int recursive;
  int state;
} mtx_t;
typedef struct __selvedge_cond {
  int state;
  struct __selvedge_waiter *first;
  __selvedge_thread waiter;
  void *mutex;
} cnd_t;
typedef struct __selvedge_once { int state; } once_flag;

void __selvedge_destroy_values(void);
int pthread_once(int *control, void (*routine)(void));
int __selvedge_key_create(unsigned int *key, void (*destructor)(void *));
int pthread_key_delete(unsigned int key);
int pthread_setspecific(unsigned int key, const void *value);
void *pthread_getspecific(unsigned int key);
void __selvedge_claim(__selvedge_thread thread);
void __selvedge_no_identifier(thrd_t *thread);
void __selvedge_write_identifier(thrd_t *thread);
void __selvedge_gone(__selvedge_thread thread);
int __selvedge_equal(__selvedge_thread a, __selvedge_thread b);
void __selvedge_cond_usable(struct __selvedge_cond *cond);
void __selvedge_cond_enter(struct __selvedge_cond *cond);
void __selvedge_cond_await(void);
_Bool __selvedge_cond_leave(struct __selvedge_cond *cond);
void __selvedge_cond_init(struct __selvedge_cond *cond);
void __selvedge_cond_unusable(struct __selvedge_cond *cond);
void __selvedge_cond_bind(struct __selvedge_cond *cond, void *mutex);
void __selvedge_cond_unbind(struct __selvedge_cond *cond);
int pthread_cond_destroy(struct __selvedge_cond *cond);
int pthread_cond_signal(struct __selvedge_cond *cond);
int pthread_cond_broadcast(struct __selvedge_cond *cond);

/* Threads return pointers in the program model; a C11 thread returns an integer. */
static void *start(int (*function)(void *), void *argument)
{
  long result = function(argument);
  if (__selvedge_uses("pthread_key_create") || __selvedge_uses("tss_create"))
    __selvedge_destroy_values();
  return (void *)result;
}

/* A failure is any error, or that there is no memory (3). */
__attribute__((selvedge_identifier))
int thrd_create(thrd_t *thread, int (*function)(void *), void *argument)
{
  if (__selvedge_may_fail("thrd_create") && __VERIFIER_nondet_bool()) {
    __selvedge_no_identifier(thread);
    return __VERIFIER_nondet_bool() ? 2 : 3;
  }
  __selvedge_write_identifier(thread);
  __VERIFIER_atomic_begin();
  *thread = __selvedge_spawn(start, function, argument);
  __VERIFIER_atomic_end();
  return 0;
}

__attribute__((selvedge_last_use))
int thrd_join(thrd_t thread, int *result)
{
  __selvedge_claim(thread);
  long value = (long)__selvedge_join(thread);
  __selvedge_gone(thread);
  if (result)
    *result = (int)value;
  return 0;
}

void thrd_exit(int result)
{
  if (__selvedge_uses("pthread_key_create") || __selvedge_uses("tss_create"))
    __selvedge_destroy_values();
  __selvedge_end_thread((void *)(long)result);
}

thrd_t thrd_current(void) { return __selvedge_self(); }
int thrd_equal(thrd_t a, thrd_t b) { return __selvedge_equal(a, b); }

__attribute__((selvedge_last_use))
int thrd_detach(thrd_t thread)
{
  __selvedge_claim(thread);
  return 0;
}

int thrd_sleep(const void *duration, void *remaining) { return 0; }
void thrd_yield(void) {}

void call_once(once_flag *flag, void (*routine)(void))
{
  pthread_once(&flag->state, routine);
}

int tss_create(tss_t *key, void (*destructor)(void *))
{
  if (__selvedge_may_fail("tss_create") && __VERIFIER_nondet_bool())
    return 2;
  return __selvedge_key_create(key, destructor);
}

void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) ? 2 : 0; }

/* As in mutex.c; but there is no static initialiser. */
static int tracked(void)
{
  return __selvedge_uses("undefined __selvedge_mtx") || __selvedge_uses("mtx_destroy")
         || !__selvedge_uses("mtx_init") || __selvedge_fails("mtx_init");
}

/* Called inside an atomic block. */
static void usable(mtx_t *mutex)
{
  if (!__selvedge_uses("mtx_init"))
    __selvedge_defined(0, "deadlock", "use of a mutex that is not initialised");
  if (tracked())
    __selvedge_defined(mutex->state == 0, "deadlock",
                       "use of a mutex that is not initialised or was destroyed");
}

/* Types: 0 plain, 1 recursive, 2 timed. In a program that chooses no other than plain and timed
   ones a lock or an unlock is a single action. */
__attribute__((selvedge_usual("recursive mtx_t", 2, "mtx_plain", "mtx_timed", "0", "2")))
int mtx_init(mtx_t *mutex, int type)
{
  if (__selvedge_may_fail("mtx_init") && __VERIFIER_nondet_bool()) {
    __VERIFIER_atomic_begin();
    mutex->state = 1;
    __VERIFIER_atomic_end();
    return 2;
  }
  __VERIFIER_atomic_begin();
  mutex->holder = __selvedge_none();
  if (__selvedge_uses("recursive mtx_t")) {
    mutex->count = 0;
    mutex->recursive = type & 1;
  }
  if (tracked())
    mutex->state = 0;
  __VERIFIER_atomic_end();
  return 0;
}

void mtx_destroy(mtx_t *mutex)
{
  __VERIFIER_atomic_begin();
  usable(mutex);
  __selvedge_defined(mutex->holder == __selvedge_none(), "deadlock", "a locked mutex is destroyed");
  mutex->state = 1;
  __VERIFIER_atomic_end();
}

int mtx_lock(mtx_t *mutex)
{
  if (!__selvedge_uses("recursive mtx_t") && !tracked()) {
    __selvedge_lock(&mutex->holder);
  } else {
    __VERIFIER_atomic_begin();
    usable(mutex);
    if (__selvedge_uses("recursive mtx_t") && mutex->recursive
        && mutex->holder == __selvedge_self())
      mutex->count = mutex->count + 1;
    else
      __selvedge_lock(&mutex->holder);
    __VERIFIER_atomic_end();
  }
  return 0;
}

int mtx_trylock(mtx_t *mutex)
{
  int result = 0;
  __VERIFIER_atomic_begin();
  usable(mutex);
  if (mutex->holder == __selvedge_none())
    __selvedge_lock(&mutex->holder);
  else if (__selvedge_uses("recursive mtx_t") && mutex->recursive
           && mutex->holder == __selvedge_self())
    mutex->count = mutex->count + 1;
  else
    result = 1;
  __VERIFIER_atomic_end();
  return result;
}

int mtx_timedlock(mtx_t *mutex, const void *until)
{
  return mtx_trylock(mutex) ? 4 : 0;
}

int mtx_unlock(mtx_t *mutex)
{
  if (!__selvedge_uses("recursive mtx_t") && !__selvedge_unheld() && !tracked()) {
    __selvedge_unlock(&mutex->holder);
  } else {
    __VERIFIER_atomic_begin();
    usable(mutex);
    if (__selvedge_unheld())
      __selvedge_defined(mutex->holder == __selvedge_self(), "deadlock",
                         "unlock of a mutex that the thread does not hold");
    if (__selvedge_uses("recursive mtx_t") && mutex->count > 0 && mutex->holder == __selvedge_self())
      mutex->count = mutex->count - 1;
    else
      __selvedge_unlock(&mutex->holder);
    __VERIFIER_atomic_end();
  }
  return 0;
}

int cnd_init(cnd_t *cond)
{
  if (__selvedge_may_fail("cnd_init") && __VERIFIER_nondet_bool()) {
    __selvedge_cond_unusable(cond);
    return __VERIFIER_nondet_bool() ? 2 : 3;
  }
  __selvedge_cond_init(cond);
  return 0;
}

void cnd_destroy(cnd_t *cond) { pthread_cond_destroy(cond); }
int cnd_signal(cnd_t *cond) { return pthread_cond_signal(cond); }
int cnd_broadcast(cnd_t *cond) { return pthread_cond_broadcast(cond); }

/* As pthread_cond_wait. */
__attribute__((selvedge_waits))
int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
  __selvedge_cond_usable(cond);
  __selvedge_cond_bind(cond, mutex);
  if (!__selvedge_checks("deadlock") || __VERIFIER_nondet_bool()) {
    mtx_unlock(mutex);
  } else {
    __VERIFIER_atomic_begin();
    mtx_unlock(mutex);
    __selvedge_cond_enter(cond);
    __VERIFIER_atomic_end();
    __selvedge_cond_await();
  }
  __selvedge_cond_unbind(cond);
  mtx_lock(mutex);
  return 0;
}

__attribute__((selvedge_waits))
int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const void *until)
{
  _Bool signalled = 0;
  __selvedge_cond_usable(cond);
  __selvedge_cond_bind(cond, mutex);
  if (!__selvedge_checks("deadlock")) {
    mtx_unlock(mutex);
  } else {
    __VERIFIER_atomic_begin();
    mtx_unlock(mutex);
    __selvedge_cond_enter(cond);
    __VERIFIER_atomic_end();
    signalled = __selvedge_cond_leave(cond);
  }
  __selvedge_cond_unbind(cond);
  mtx_lock(mutex);
  if (!signalled && __VERIFIER_nondet_bool())
    return 4;
  return 0;
}
