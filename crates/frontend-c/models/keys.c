/* Thread-specific data: at most eight keys in the life of a program. Destructors run in the order
   of the keys, four rounds at most, as on Linux. */

typedef unsigned int pthread_key_t;

static unsigned int keys;
static void (*destructors[8])(void *);
static _Bool deleted[8];
static _Thread_local void *values[8];

int __selvedge_key_create(pthread_key_t *key, void (*destructor)(void *))
{
  unsigned int fresh;
  __VERIFIER_atomic_begin();
  fresh = keys;
  if (fresh >= 8)
    __selvedge_unsupported("more than eight keys of thread-specific data");
  keys = fresh + 1;
  destructors[fresh] = destructor;
  __VERIFIER_atomic_end();
  *key = fresh;
  return 0;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
  if (__selvedge_may_fail("pthread_key_create") && __VERIFIER_nondet_bool())
    return 11;
  return __selvedge_key_create(key, destructor);
}

/* Using a key that does not exist is undefined; Linux returns an error, and null for its value. */
static _Bool exists(pthread_key_t key)
{
  _Bool known;
  __VERIFIER_atomic_begin();
  known = key < keys && !deleted[key];
  __VERIFIER_atomic_end();
  return known;
}

int pthread_key_delete(pthread_key_t key)
{
  if (!exists(key))
    return 22;
  __VERIFIER_atomic_begin();
  destructors[key] = 0;
  deleted[key] = 1;
  __VERIFIER_atomic_end();
  return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
  if (!exists(key))
    return 22;
  values[key] = (void *)value;
  return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
  if (!exists(key))
    return 0;
  return values[key];
}

void __selvedge_destroy_values(void)
{
  _Bool found = 1;
  for (int round = 0; round < 4 && found; round++) {
    unsigned int count;
    __VERIFIER_atomic_begin();
    count = keys;
    __VERIFIER_atomic_end();
    found = 0;
    for (unsigned int key = 0; key < count; key++) {
      void *value = values[key];
      if (value) {
        void (*destructor)(void *);
        __VERIFIER_atomic_begin();
        destructor = destructors[key];
        __VERIFIER_atomic_end();
        if (destructor) {
          values[key] = 0;
          found = 1;
          destructor(value);
        }
      }
    }
  }
}
