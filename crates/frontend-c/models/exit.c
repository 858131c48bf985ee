/* The end of a program: functions registered with atexit run in the reverse order, then those with
   the attribute destructor (__selvedge_destructors calls them). The front end calls
   __selvedge_begin and __selvedge_finish in main where a program has such functions. */

static void (*registered[32])(void);
static int count;
static void (*quick[32])(void);
static int quick_count;
static __selvedge_thread first;

int atexit(void (*function)(void))
{
  __VERIFIER_atomic_begin();
  if (count >= 32)
    __selvedge_unsupported("more than 32 functions at exit");
  registered[count] = function;
  count = count + 1;
  __VERIFIER_atomic_end();
  return 0;
}

int at_quick_exit(void (*function)(void))
{
  __VERIFIER_atomic_begin();
  if (quick_count >= 32)
    __selvedge_unsupported("more than 32 functions at exit");
  quick[quick_count] = function;
  quick_count = quick_count + 1;
  __VERIFIER_atomic_end();
  return 0;
}

int on_exit(void (*function)(int, void *), void *argument)
{
  __selvedge_unsupported("on_exit");
  return 0;
}

/* A registered function may register others, which run next. */
static void run_registered(void)
{
  while (1) {
    void (*function)(void) = 0;
    __VERIFIER_atomic_begin();
    if (count > 0) {
      count = count - 1;
      function = registered[count];
    }
    __VERIFIER_atomic_end();
    if (!function)
      return;
    function();
  }
}

static void run_quick(void)
{
  while (1) {
    void (*function)(void) = 0;
    __VERIFIER_atomic_begin();
    if (quick_count > 0) {
      quick_count = quick_count - 1;
      function = quick[quick_count];
    }
    __VERIFIER_atomic_end();
    if (!function)
      return;
    function();
  }
}

void __selvedge_begin(void)
{
  first = __selvedge_self();
}

void __selvedge_finish(void)
{
  if (__selvedge_uses("atexit"))
    run_registered();
  __selvedge_destructors();
}

/* The last thread that ends after main's has ended would run them. */
void __selvedge_leave(void)
{
  if (first == __selvedge_self())
    __selvedge_unsupported("the end of main's thread where functions run at the program's end");
}

void exit(int status)
{
  if (__selvedge_uses("atexit") || __selvedge_uses("__selvedge_destructors"))
    __selvedge_finish();
  __selvedge_halt();
}

void quick_exit(int status)
{
  if (__selvedge_uses("at_quick_exit"))
    run_quick();
  __selvedge_halt();
}

void _Exit(int status) { __selvedge_halt(); }
void _exit(int status) { __selvedge_halt(); }
