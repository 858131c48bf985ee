/* Sleeping does nothing: any delay is an interleaving. Clocks are inputs, each reading on its own:
   that time does not run backwards is not known. */

struct timespec { long tv_sec; long tv_nsec; };
struct timeval { long tv_sec; long tv_usec; };

unsigned int sleep(unsigned int seconds) { return 0; }
int usleep(unsigned int microseconds) { return 0; }
int nanosleep(const struct timespec *duration, struct timespec *remaining) { return 0; }
int clock_nanosleep(int clock, int flags, const struct timespec *duration, struct timespec *remaining)
{
  return 0;
}
int sched_yield(void) { return 0; }
int pause(void)
{
  __selvedge_unsupported("pause (signals)");
  return -1;
}

long time(long *result)
{
  long now = __VERIFIER_nondet_long();
  __VERIFIER_assume(now >= 0);
  if (result)
    *result = now;
  return now;
}

long clock(void)
{
  long now = __VERIFIER_nondet_long();
  __VERIFIER_assume(now >= -1);
  return now;
}

int gettimeofday(struct timeval *result, void *zone)
{
  long seconds = __VERIFIER_nondet_long();
  long microseconds = __VERIFIER_nondet_long();
  __VERIFIER_assume(seconds >= 0 && microseconds >= 0 && microseconds < 1000000);
  result->tv_sec = seconds;
  result->tv_usec = microseconds;
  return 0;
}

int clock_gettime(int clock, struct timespec *result)
{
  long seconds = __VERIFIER_nondet_long();
  long nanoseconds = __VERIFIER_nondet_long();
  __VERIFIER_assume(seconds >= 0 && nanoseconds >= 0 && nanoseconds < 1000000000);
  result->tv_sec = seconds;
  result->tv_nsec = nanoseconds;
  return 0;
}

int timespec_get(struct timespec *result, int base)
{
  clock_gettime(0, result);
  return base;
}

int getpid(void)
{
  int id = __VERIFIER_nondet_int();
  __VERIFIER_assume(id > 0);
  return id;
}
