/* C11 <threads.h>. Results: 0 success, 1 busy, 2 error, 4 timed out. Creation never fails. */

typedef __selvedge_thread thrd_t;
typedef unsigned int tss_t;
typedef struct __selvedge_mtx {
  __selvedge_thread holder;
  int count;
  int recursive;
} mtx_t;
typedef struct __selvedge_cond { struct __selvedge_waiter *first; } cnd_t;
typedef struct __selvedge_once { int state; } once_flag;

void __selvedge_destroy_values(void);
int pthread_once(int *control, void (*routine)(void));
int pthread_key_create(unsigned int *key, void (*destructor)(void *));
int pthread_key_delete(unsigned int key);
int pthread_setspecific(unsigned int key, const void *value);
void *pthread_getspecific(unsigned int key);
void __selvedge_cond_enter(struct __selvedge_cond *cond);
void __selvedge_cond_await(void);
_Bool __selvedge_cond_leave(struct __selvedge_cond *cond);
int pthread_cond_init(struct __selvedge_cond *cond, const void *attr);
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

int thrd_create(thrd_t *thread, int (*function)(void *), void *argument)
{
  __VERIFIER_atomic_begin();
  *thread = __selvedge_spawn(start, function, argument);
  __VERIFIER_atomic_end();
  return 0;
}

int thrd_join(thrd_t thread, int *result)
{
  long value = (long)__selvedge_join(thread);
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
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
int thrd_detach(thrd_t thread) { return 0; }
int thrd_sleep(const void *duration, void *remaining) { return 0; }
void thrd_yield(void) {}

void call_once(once_flag *flag, void (*routine)(void))
{
  pthread_once(&flag->state, routine);
}

int tss_create(tss_t *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) ? 2 : 0; }

/* Types: 0 plain, 1 recursive, 2 timed. A program that never says `mtx_recursive` has none, and a
   lock or an unlock is a single action. */
int mtx_init(mtx_t *mutex, int type)
{
  __VERIFIER_atomic_begin();
  mutex->holder = __selvedge_none();
  if (__selvedge_uses("mtx_recursive")) {
    mutex->count = 0;
    mutex->recursive = type & 1;
  }
  __VERIFIER_atomic_end();
  return 0;
}

void mtx_destroy(mtx_t *mutex)
{
  __VERIFIER_atomic_begin();
  __selvedge_check(mutex->holder == __selvedge_none(), "deadlock", "a locked mutex is destroyed");
  __VERIFIER_atomic_end();
}

int mtx_lock(mtx_t *mutex)
{
  if (!__selvedge_uses("mtx_recursive")) {
    __selvedge_lock(&mutex->holder);
  } else {
    __VERIFIER_atomic_begin();
    if (mutex->recursive && mutex->holder == __selvedge_self())
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
  if (mutex->holder == __selvedge_none())
    __selvedge_lock(&mutex->holder);
  else if (__selvedge_uses("mtx_recursive") && mutex->recursive
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
  if (!__selvedge_uses("mtx_recursive")) {
    __selvedge_unlock(&mutex->holder);
  } else {
    __VERIFIER_atomic_begin();
    if (mutex->count > 0 && mutex->holder == __selvedge_self())
      mutex->count = mutex->count - 1;
    else
      __selvedge_unlock(&mutex->holder);
    __VERIFIER_atomic_end();
  }
  return 0;
}

int cnd_init(cnd_t *cond) { return pthread_cond_init(cond, 0); }
void cnd_destroy(cnd_t *cond) { pthread_cond_destroy(cond); }
int cnd_signal(cnd_t *cond) { return pthread_cond_signal(cond); }
int cnd_broadcast(cnd_t *cond) { return pthread_cond_broadcast(cond); }

/* As pthread_cond_wait. */
int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
  if (!__selvedge_checks("deadlock") || __VERIFIER_nondet_bool()) {
    mtx_unlock(mutex);
  } else {
    __VERIFIER_atomic_begin();
    mtx_unlock(mutex);
    __selvedge_cond_enter(cond);
    __VERIFIER_atomic_end();
    __selvedge_cond_await();
  }
  mtx_lock(mutex);
  return 0;
}

int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const void *until)
{
  _Bool signalled = 0;
  if (!__selvedge_checks("deadlock")) {
    mtx_unlock(mutex);
  } else {
    __VERIFIER_atomic_begin();
    mtx_unlock(mutex);
    __selvedge_cond_enter(cond);
    __VERIFIER_atomic_end();
    signalled = __selvedge_cond_leave(cond);
  }
  mtx_lock(mutex);
  if (!signalled && __VERIFIER_nondet_bool())
    return 4;
  return 0;
}
