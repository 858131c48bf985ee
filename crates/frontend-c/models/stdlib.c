/* Memory, the end of the program, random numbers, conversions. Allocation never fails.

   Where a program uses realloc, the sizes of up to sixteen live heap objects are kept. */

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

__attribute__((selvedge_undefined_memory))
void *malloc(unsigned long size)
{
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
  if (__selvedge_uses("realloc"))
    remember(start, size);
  return start;
}

void *calloc(unsigned long count, unsigned long size)
{
  if (size != 0 && count > (unsigned long)-1 / size)
    __selvedge_unsupported("calloc of a size that overflows");
  void *start = __selvedge_alloc(count * size, 1);
  if (__selvedge_uses("realloc"))
    remember(start, count * size);
  return start;
}

__attribute__((selvedge_undefined_memory))
void *aligned_alloc(unsigned long alignment, unsigned long size) { return malloc(size); }

__attribute__((selvedge_undefined_memory))
void *memalign(unsigned long alignment, unsigned long size) { return malloc(size); }

__attribute__((selvedge_undefined_memory))
void *valloc(unsigned long size) { return malloc(size); }

__attribute__((selvedge_undefined_memory))
int posix_memalign(void **result, unsigned long alignment, unsigned long size)
{
  *result = malloc(size);
  return 0;
}

void free(void *start)
{
  if (__selvedge_uses("realloc") && start)
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
  unsigned long old_size = forget(old);
  if (size == 0) {
    __selvedge_free(old);
    return 0;
  }
  if (__selvedge_uses("pointer comparison") && size <= old_size && __VERIFIER_nondet_bool()) {
    remember(old, size);
    return old;
  }
  char *from = old;
  char *to = malloc(size);
  for (unsigned long i = 0; i < old_size && i < size; i++)
    to[i] = from[i];
  __selvedge_free(old);
  return to;
}

/* A call makes an object on the stack of the caller. */
__attribute__((selvedge_intrinsic(alloca), selvedge_undefined_memory))
void *alloca(unsigned long size)
{
  __selvedge_unsupported("alloca through a pointer");
  return 0;
}

void exit(int status) { __selvedge_halt(); }
void _Exit(int status) { __selvedge_halt(); }
void _exit(int status) { __selvedge_halt(); }
void quick_exit(int status) { __selvedge_halt(); }

/* Abnormal, but not an error by itself. */
void abort(void) { __selvedge_halt(); }

int atexit(void (*function)(void))
{
  __selvedge_unsupported("atexit");
  return 0;
}

int at_quick_exit(void (*function)(void))
{
  __selvedge_unsupported("at_quick_exit");
  return 0;
}

int rand(void)
{
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(number >= 0);
  return number;
}

int rand_r(unsigned int *seed)
{
  *seed = __VERIFIER_nondet_uint();
  return rand();
}

long random(void)
{
  long number = __VERIFIER_nondet_long();
  __VERIFIER_assume(number >= 0 && number <= 2147483647);
  return number;
}

void srand(unsigned int seed) {}
void srandom(unsigned int seed) {}

int abs(int number) { return number < 0 ? -number : number; }
long labs(long number) { return number < 0 ? -number : number; }
long long llabs(long long number) { return number < 0 ? -number : number; }

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The digit's value, or 36. */
static int digit(int c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 36;
}

long long strtoll(const char *text, char **end, int base)
{
  const char *p = text;
  const char *last = text;
  unsigned long long value = 0;
  _Bool negative = 0;
  while (is_space(*p))
    p++;
  if (*p == '-' || *p == '+') {
    negative = *p == '-';
    p++;
  }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16) {
    base = 16;
    p += 2;
  } else if (base == 0) {
    base = *p == '0' ? 8 : 10;
  }
  while (digit(*p) < base) {
    if (value > (9223372036854775807ULL - digit(*p)) / base)
      __selvedge_unsupported("conversion of text to a number that is too large");
    value = value * base + digit(*p);
    p++;
    last = p;
  }
  if (end)
    *end = (char *)last;
  return negative ? -(long long)value : (long long)value;
}

long strtol(const char *text, char **end, int base)
{
  long long value = strtoll(text, end, base);
  if (value != (long)value)
    __selvedge_unsupported("conversion of text to a number that is too large");
  return (long)value;
}

unsigned long strtoul(const char *text, char **end, int base)
{
  return (unsigned long)strtol(text, end, base);
}

unsigned long long strtoull(const char *text, char **end, int base)
{
  return (unsigned long long)strtoll(text, end, base);
}

int atoi(const char *text) { return (int)strtol(text, 0, 10); }
long atol(const char *text) { return strtol(text, 0, 10); }
long long atoll(const char *text) { return strtoll(text, 0, 10); }

char *getenv(const char *name)
{
  __selvedge_unsupported("getenv");
  return 0;
}

int system(const char *command)
{
  __selvedge_unsupported("system");
  return 0;
}
