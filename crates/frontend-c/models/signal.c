/* Signals. A handler runs as a thread that starts where it is registered and calls it any number of
   times; in a program without other threads each call is one step of that thread, since nothing else
   runs meanwhile. Which of its accesses
   would be races is not known. Masks, waiting for signals and handlers with more arguments are not
   modelled. */

typedef void (*__selvedge_handler)(int);

void abort(void);
void __selvedge_set_errno(int number);

static __selvedge_handler handlers[65];

/* How often a handler has run. */
static unsigned int runs;

static _Bool has_threads(void)
{
  return __selvedge_uses("pthread_create") || __selvedge_uses("thrd_create");
}

/* 0 and 1 are SIG_DFL and SIG_IGN. */
static _Bool is_function(__selvedge_handler handler)
{
  return handler != (__selvedge_handler)0 && handler != (__selvedge_handler)1;
}

static void *interrupt(void *number)
{
  int signal = *(int *)number;
  while (__VERIFIER_nondet_bool()) {
    if (has_threads()) {
      __selvedge_handler handler = handlers[signal];
      if (is_function(handler))
        handler(signal);
      __VERIFIER_atomic_begin();
      runs++;
      __VERIFIER_atomic_end();
    } else {
      __VERIFIER_atomic_begin();
      __selvedge_handler handler = handlers[signal];
      if (is_function(handler)) {
        handler(signal);
        runs++;
      }
      __VERIFIER_atomic_end();
    }
  }
  return 0;
}

/* The handler before. */
static __selvedge_handler install(int signal, __selvedge_handler handler)
{
  __VERIFIER_atomic_begin();
  __selvedge_handler old = handlers[signal];
  handlers[signal] = handler;
  __VERIFIER_atomic_end();
  if (is_function(handler) && __selvedge_checks("race"))
    __selvedge_unsupported("a signal handler where races are checked");
  if (is_function(handler) && !is_function(old)) {
    int *number = __selvedge_alloc(sizeof(int), 0);
    *number = signal;
    __selvedge_spawn(interrupt, (void *)number);
  }
  return old;
}

static _Bool is_catchable(int signal)
{
  if (signal >= 1 && signal <= 64 && signal != 9 && signal != 19)
    return 1;
  __selvedge_set_errno(22);
  return 0;
}

__selvedge_handler signal(int number, __selvedge_handler handler)
{
  return is_catchable(number) ? install(number, handler) : (__selvedge_handler)-1;
}

__selvedge_handler bsd_signal(int number, __selvedge_handler handler) { return signal(number, handler); }

struct sigaction {
  __selvedge_handler handler;
  unsigned long mask[128 / sizeof(long)];
  int flags;
  void (*restorer)(void);
};

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
  if (!is_catchable(number))
    return -1;
  if (action && (action->flags & 4) != 0)
    __selvedge_unsupported("a signal handler with three arguments");
  __selvedge_handler before;
  if (action) {
    before = install(number, action->handler);
  } else {
    __VERIFIER_atomic_begin();
    before = handlers[number];
    __VERIFIER_atomic_end();
  }
  if (old) {
    old->handler = before;
    for (int i = 0; i < (int)(128 / sizeof(long)); i++)
      old->mask[i] = 0;
    old->flags = 0;
  }
  return 0;
}

/* By default signals end the program, but for those that are ignored. Those of errors count as
   failures. */
int raise(int number)
{
  if (number < 1 || number > 64) {
    __selvedge_set_errno(22);
    return -1;
  }
  __VERIFIER_atomic_begin();
  __selvedge_handler handler = handlers[number];
  __VERIFIER_atomic_end();
  if (is_function(handler)) {
    handler(number);
    return 0;
  }
  if (handler == (__selvedge_handler)1 || number == 17 || number == 18 || number == 23 || number == 28)
    return 0;
  if (number >= 4 && number <= 8 || number == 11)
    abort();
  __selvedge_halt();
  return 0;
}

/* Until a handler has run. */
int pause(void)
{
  __VERIFIER_atomic_begin();
  unsigned int before = runs;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(runs != before);
  __VERIFIER_atomic_end();
  __selvedge_set_errno(4);
  return -1;
}

/* Sets of signals; the first word has the first signals. */
struct __selvedge_set { unsigned long words[128 / sizeof(long)]; };

static int fill(struct __selvedge_set *set, unsigned long word)
{
  for (int i = 0; i < (int)(128 / sizeof(long)); i++)
    set->words[i] = word;
  return 0;
}

int sigemptyset(struct __selvedge_set *set) { return fill(set, 0); }
int sigfillset(struct __selvedge_set *set) { return fill(set, -1ul); }

static unsigned long bit_of(int number) { return 1ul << ((unsigned long)(number - 1) % (8 * sizeof(long))); }
static int word_of(int number) { return (number - 1) / (int)(8 * sizeof(long)); }

int sigaddset(struct __selvedge_set *set, int number)
{
  set->words[word_of(number)] |= bit_of(number);
  return 0;
}

int sigdelset(struct __selvedge_set *set, int number)
{
  set->words[word_of(number)] &= ~bit_of(number);
  return 0;
}

int sigismember(const struct __selvedge_set *set, int number)
{
  return (set->words[word_of(number)] & bit_of(number)) != 0;
}

/* A mask matters only where there are handlers. */
int sigprocmask(int how, const struct __selvedge_set *set, struct __selvedge_set *old)
{
  if (__selvedge_uses("signal") || __selvedge_uses("sigaction"))
    __selvedge_unsupported("a mask of signals in a program with handlers");
  if (old)
    sigemptyset(old);
  return 0;
}

int pthread_sigmask(int how, const struct __selvedge_set *set, struct __selvedge_set *old) { return sigprocmask(how, set, old); }
