/* Memory.

   A size that no object can have is refused, and with --may-fail any other may be. Where a program uses realloc, the sizes of up to sixteen live heap objects are kept. */

static void *starts[16];
static unsigned long sizes[16];

static void remember(void *start, unsigned long size)
{
  __VERIFIER_atomic_begin();
  int i = 0;
  while (i < 16 && starts[i])
    i++;
  if (i == 16)
    __selvedge_unsupported("more than sixteen live heap objects in a program that uses realloc");
  starts[i] = start;
  sizes[i] = size;
  __VERIFIER_atomic_end();
}

/* The object's size; zero for what is not the start of a live heap object. */
static unsigned long forget(void *start)
{
  unsigned long size = 0;
  __VERIFIER_atomic_begin();
  int i = 0;
  while (i < 16 && starts[i] != start)
    i++;
  if (i < 16) {
    size = sizes[i];
    starts[i] = 0;
    sizes[i] = 0;
  }
  __VERIFIER_atomic_end();
  return size;
}

/* Where a program compares pointers and frees memory, one object, whichever, is chosen when it is
   allocated: it is kept when it is freed, and a later allocation of its size may return it again,
   with its address. All others really end, so every use of freed memory is found as well. */
static void *chosen;
static unsigned long chosen_size;
static _Bool kept;

static int reuses(void)
{
  return __selvedge_uses("pointer comparison") && __selvedge_uses("free");
}

static void choose(void *start, unsigned long size)
{
  __VERIFIER_atomic_begin();
  if (!chosen && size && __VERIFIER_nondet_bool()) {
    chosen = start;
    chosen_size = size;
  }
  __VERIFIER_atomic_end();
}

/* Whether the object is kept. */
static _Bool keep(void *start)
{
  _Bool done = 0;
  __VERIFIER_atomic_begin();
  if (start && start == chosen && !kept) {
    kept = 1;
    done = 1;
  }
  __VERIFIER_atomic_end();
  return done;
}

/* The kept object, or null. */
static void *reuse(unsigned long size)
{
  void *start = 0;
  __VERIFIER_atomic_begin();
  if (kept && chosen_size == size && __VERIFIER_nondet_bool()) {
    kept = 0;
    start = chosen;
  }
  __VERIFIER_atomic_end();
  return start;
}

void __selvedge_set_errno(int number);

/* No object is larger than half of what addresses can tell apart. */
static _Bool too_large(unsigned long size) { return size > (unsigned long)-1 / 2; }

static void *no_memory(void)
{
  __selvedge_set_errno(12);
  return 0;
}

__attribute__((selvedge_undefined_memory))
void *malloc(unsigned long size)
{
  if (too_large(size) || (__selvedge_may_fail("malloc") && __VERIFIER_nondet_bool()))
    return no_memory();
  void *start;
  if (reuses()) {
    start = reuse(size);
    if (!start) {
      start = __selvedge_alloc(size, 0);
      choose(start, size);
    }
  } else {
    start = __selvedge_alloc(size, 0);
  }
  if ((__selvedge_uses("realloc") || __selvedge_uses("reallocarray")))
    remember(start, size);
  return start;
}

void *calloc(unsigned long count, unsigned long size)
{
  if ((size != 0 && count > (unsigned long)-1 / 2 / size) || (__selvedge_may_fail("calloc") && __VERIFIER_nondet_bool()))
    return no_memory();
  void *start = __selvedge_alloc(count * size, 1);
  if ((__selvedge_uses("realloc") || __selvedge_uses("reallocarray")))
    remember(start, count * size);
  return start;
}

static _Bool is_power_of_two(unsigned long number) { return number != 0 && (number & (number - 1)) == 0; }

__attribute__((selvedge_undefined_memory))
void *memalign(unsigned long alignment, unsigned long size)
{
  if (__selvedge_may_fail("memalign") && __VERIFIER_nondet_bool())
    return no_memory();
  return malloc(size);
}

__attribute__((selvedge_undefined_memory))
void *aligned_alloc(unsigned long alignment, unsigned long size)
{
  if (!is_power_of_two(alignment)) {
    __selvedge_set_errno(22);
    return 0;
  }
  if (__selvedge_may_fail("aligned_alloc") && __VERIFIER_nondet_bool())
    return no_memory();
  return malloc(size);
}

__attribute__((selvedge_undefined_memory))
void *valloc(unsigned long size) { return malloc(size); }
void *pvalloc(unsigned long size) { return malloc(size); }

__attribute__((selvedge_undefined_memory))
int posix_memalign(void **result, unsigned long alignment, unsigned long size)
{
  if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0)
    return 22;
  if (__selvedge_may_fail("posix_memalign") && __VERIFIER_nondet_bool())
    return 12;
  void *start = malloc(size);
  if (!start)
    return 12;
  *result = start;
  return 0;
}

void free(void *start)
{
  if ((__selvedge_uses("realloc") || __selvedge_uses("reallocarray")) && start)
    forget(start);
  if (reuses()) {
    if (!keep(start))
      __selvedge_free(start);
  } else {
    __selvedge_free(start);
  }
}

void cfree(void *start) { free(start); }

/* What does not grow may stay where it is. */
__attribute__((selvedge_undefined_memory))
void *realloc(void *old, unsigned long size)
{
  if (!old)
    return malloc(size);
  if (size == 0) {
    free(old);
    return 0;
  }
  if (__selvedge_uses("pointer comparison") && __VERIFIER_nondet_bool()) {
    unsigned long before = forget(old);
    remember(old, size <= before ? size : before);
    if (size <= before)
      return old;
  }
  if (__selvedge_may_fail("realloc") && __VERIFIER_nondet_bool())
    return no_memory();
  char *from = old;
  char *to = malloc(size);
  if (!to)
    return 0;
  unsigned long old_size = forget(old);
  for (unsigned long i = 0; i < old_size && i < size; i++)
    to[i] = from[i];
  __selvedge_free(old);
  return to;
}

void *reallocarray(void *old, unsigned long count, unsigned long size)
{
  if (size != 0 && count > (unsigned long)-1 / 2 / size)
    return no_memory();
  return realloc(old, count * size);
}

/* A call makes an object on the stack of the caller. */
__attribute__((selvedge_intrinsic(alloca), selvedge_undefined_memory))
void *alloca(unsigned long size)
{
  __selvedge_unsupported("alloca through a pointer");
  return 0;
}
