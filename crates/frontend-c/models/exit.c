/* The end of the program. Whoever uses the interface of SV-COMP uses abort to say that an execution is
   not of interest; for all others it is how their own checks fail. */

static void (*at_exit[32])(void);
static int at_exits;
static void (*at_quick_exits[32])(void);
static int quick_exits;

int atexit(void (*function)(void))
{
  __VERIFIER_atomic_begin();
  if (at_exits == 32)
    __selvedge_unsupported("more than 32 functions to call at exit");
  at_exit[at_exits] = function;
  at_exits++;
  __VERIFIER_atomic_end();
  return 0;
}

int at_quick_exit(void (*function)(void))
{
  __VERIFIER_atomic_begin();
  if (quick_exits == 32)
    __selvedge_unsupported("more than 32 functions to call at quick_exit");
  at_quick_exits[quick_exits] = function;
  quick_exits++;
  __VERIFIER_atomic_end();
  return 0;
}

/* What runs where main returns, too: the last function that was registered first. */
void __selvedge_at_exit(void)
{
  if (__selvedge_uses("atexit"))
    while (at_exits > 0) {
      at_exits--;
      at_exit[at_exits]();
    }
}

void exit(int status)
{
  __selvedge_at_exit();
  __selvedge_halt();
}

void quick_exit(int status)
{
  if (__selvedge_uses("at_quick_exit"))
    while (quick_exits > 0) {
      quick_exits--;
      at_quick_exits[quick_exits]();
    }
  __selvedge_halt();
}

void _Exit(int status) { __selvedge_halt(); }
void _exit(int status) { __selvedge_halt(); }

void abort(void)
{
  if (!__selvedge_uses("__VERIFIER_"))
    __selvedge_check(0, "assert", "abort is called");
  __selvedge_halt();
}

/* __builtin_trap */
void __selvedge_trap(void)
{
  if (!__selvedge_uses("__VERIFIER_"))
    __selvedge_check(0, "assert", "__builtin_trap is called");
  __selvedge_halt();
}
