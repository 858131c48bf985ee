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

void __selvedge_set_errno(int number);

/* No object is larger than half of what addresses can tell apart. */
static _Bool too_large(unsigned long size) { return size > (unsigned long)-1 / 2; }

static void *no_memory(void)
{
  __selvedge_set_errno(12);
  return 0;
}

void *malloc(unsigned long size)
{
  if (too_large(size) || (__selvedge_may_fail("malloc") && __VERIFIER_nondet_bool()))
    return no_memory();
  void *start = __selvedge_alloc(size, 0);
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

void *memalign(unsigned long alignment, unsigned long size)
{
  if (__selvedge_may_fail("memalign") && __VERIFIER_nondet_bool())
    return no_memory();
  return malloc(size);
}

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

void *valloc(unsigned long size) { return malloc(size); }
void *pvalloc(unsigned long size) { return malloc(size); }

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
  __selvedge_free(start);
}

void cfree(void *start) { free(start); }

void *realloc(void *old, unsigned long size)
{
  if (!old)
    return malloc(size);
  if (size == 0) {
    free(old);
    return 0;
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
__attribute__((selvedge_intrinsic(alloca)))
void *alloca(unsigned long size)
{
  __selvedge_unsupported("alloca through a pointer");
  return 0;
}
