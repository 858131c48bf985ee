/* Sleeping does nothing: any delay is an interleaving. Readings of the clocks are inputs. Those of a
   monotonic clock do not go back, in any thread. Seconds since 1970 are below four thousand million
   (the year 2096), with a `long` of 32 bits below two thousand million (2033), so that adding a
   delay or counting nanoseconds in 64 bits does not overflow. */

struct timespec { long tv_sec; long tv_nsec; };
struct timeval { long tv_sec; long tv_usec; };
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
};

void __selvedge_set_errno(int number);

unsigned int sleep(unsigned int seconds) { return 0; }
int usleep(unsigned int microseconds) { return 0; }
int sched_yield(void) { return 0; }

static _Bool is_duration(const struct timespec *duration)
{
  return duration->tv_sec >= 0 && duration->tv_nsec >= 0 && duration->tv_nsec < 1000000000;
}

int nanosleep(const struct timespec *duration, struct timespec *remaining)
{
  if (is_duration(duration))
    return 0;
  __selvedge_set_errno(22);
  return -1;
}

int clock_nanosleep(int clock, int flags, const struct timespec *duration, struct timespec *remaining)
{
  return is_duration(duration) ? 0 : 22;
}

static long any_seconds(void)
{
  long seconds = __VERIFIER_nondet_long();
  __VERIFIER_assume(seconds >= 0 && seconds < (long)(sizeof(long) > 4 ? 4000000000ll : 2000000000));
  return seconds;
}

static long any_below(long bound)
{
  long number = __VERIFIER_nondet_long();
  __VERIFIER_assume(number >= 0 && number < bound);
  return number;
}

long time(long *result)
{
  long now = any_seconds();
  if (result)
    *result = now;
  return now;
}

/* The last reading of each clock. */
static long last_second[12], last_nanosecond[12];
static _Thread_local long own_second, own_nanosecond;

static void read_forward(long *last_second, long *last_nanosecond, long *seconds, long *nanoseconds)
{
  long second = any_seconds();
  long nanosecond = any_below(1000000000);
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(second > *last_second || (second == *last_second && nanosecond >= *last_nanosecond));
  *last_second = second;
  *last_nanosecond = nanosecond;
  __VERIFIER_atomic_end();
  *seconds = second;
  *nanoseconds = nanosecond;
}

/* Clocks 0, 5 and 11 follow the calendar and can be set; 3 is the thread's own. */
int clock_gettime(int clock, struct timespec *result)
{
  if (clock < 0 || clock > 11) {
    __selvedge_set_errno(22);
    return -1;
  }
  if (clock == 0 || clock == 5 || clock == 11) {
    result->tv_sec = any_seconds();
    result->tv_nsec = any_below(1000000000);
  } else if (clock == 3) {
    read_forward(&own_second, &own_nanosecond, &result->tv_sec, &result->tv_nsec);
  } else {
    read_forward(&last_second[clock], &last_nanosecond[clock], &result->tv_sec, &result->tv_nsec);
  }
  return 0;
}

int clock_getres(int clock, struct timespec *result)
{
  if (clock < 0 || clock > 11) {
    __selvedge_set_errno(22);
    return -1;
  }
  if (result) {
    result->tv_sec = 0;
    result->tv_nsec = 1 + any_below(999999999);
  }
  return 0;
}

static long last_tick;

/* Microseconds of processor time. */
long clock(void)
{
  long now = any_below(sizeof(long) > 4 ? 4000000000000000ll : 2000000000);
  __VERIFIER_atomic_begin();
  __VERIFIER_assume(now >= last_tick);
  last_tick = now;
  __VERIFIER_atomic_end();
  return now;
}

int gettimeofday(struct timeval *result, void *zone)
{
  if (result) {
    result->tv_sec = any_seconds();
    result->tv_usec = any_below(1000000);
  }
  return 0;
}

int timespec_get(struct timespec *result, int base)
{
  if (base != 1)
    return 0;
  clock_gettime(0, result);
  return base;
}

double difftime(long later, long earlier) { return (double)(later - earlier); }

static void any_date(struct tm *result)
{
  result->tm_sec = (int)any_below(61);
  result->tm_min = (int)any_below(60);
  result->tm_hour = (int)any_below(24);
  result->tm_mday = 1 + (int)any_below(31);
  result->tm_mon = (int)any_below(12);
  result->tm_year = (int)any_below(8100);
  result->tm_wday = (int)any_below(7);
  result->tm_yday = (int)any_below(366);
}

/* Which date a time is, is not modelled: any one from 1900 to 9999. */
struct tm *gmtime_r(const long *time, struct tm *result)
{
  long read = *time;
  any_date(result);
  result->tm_isdst = 0;
  result->tm_gmtoff = 0;
  result->tm_zone = "GMT";
  return result;
}

struct tm *localtime_r(const long *time, struct tm *result)
{
  long read = *time;
  any_date(result);
  result->tm_isdst = (int)any_below(2);
  result->tm_gmtoff = any_below(93600) - 43200;
  result->tm_zone = "ZONE";
  return result;
}

/* What these two return, and where the next two write, is shared by all threads. */
static struct tm date;
static char date_as_text[26];

struct tm *gmtime(const long *time) { return gmtime_r(time, &date); }
struct tm *localtime(const long *time) { return localtime_r(time, &date); }

static char *any_date_text(char *to)
{
  for (int i = 0; i < 24; i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(c >= ' ' && c <= '~');
    to[i] = c;
  }
  to[24] = '\n';
  to[25] = 0;
  return to;
}

char *asctime_r(const struct tm *time, char *to)
{
  int read = time->tm_sec;
  return any_date_text(to);
}

char *ctime_r(const long *time, char *to)
{
  long read = *time;
  return any_date_text(to);
}

char *asctime(const struct tm *time) { return asctime_r(time, date_as_text); }

char *ctime(const long *time)
{
  if (__selvedge_checks("race"))
    date.tm_sec = 0;
  return ctime_r(time, date_as_text);
}

long mktime(struct tm *time)
{
  int read = time->tm_year;
  any_date(time);
  long result = any_seconds();
  return __VERIFIER_nondet_bool() ? -1 : result;
}

long timegm(struct tm *time) { return mktime(time); }
long timelocal(struct tm *time) { return mktime(time); }
void tzset(void) {}

unsigned long strftime(char *to, unsigned long size, const char *format, const struct tm *time)
{
  int read = time->tm_sec;
  unsigned long length = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(size == 0 ? length == 0 : length < size);
  for (unsigned long i = 0; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(c != 0);
    to[i] = c;
  }
  if (size > 0)
    to[length] = 0;
  return length;
}
