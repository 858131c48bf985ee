/* Files, processes and the system, seen from one program: every result that the functions' contracts
   allow, with any content. What one call does to a file is not remembered for the next. */

void __selvedge_set_errno(int number);

/* Any number up to a limit, or -1 with an error. */
static long any_result(unsigned long most)
{
  long result = __VERIFIER_nondet_long();
  __VERIFIER_assume(result >= -1);
  if (result >= 0) {
    __VERIFIER_assume((unsigned long)result <= most);
  } else {
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error < 134);
    __selvedge_set_errno(error);
  }
  return result;
}

static int any_status(void) { return (int)any_result(0); }
static int any_descriptor(void) { return (int)any_result(1048575); }

/* Bytes that come from outside. */
static long receive(void *to, unsigned long size)
{
  char *p = to;
  long got = any_result(size);
  for (long i = 0; i < got; i++)
    p[i] = __VERIFIER_nondet_char();
  return got;
}

/* Bytes that go outside are read where reading them can be an error. */
static long send_out(const void *from, unsigned long size)
{
  const char *p = from;
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    for (unsigned long i = 0; i < size; i++) {
      char read = p[i];
    }
  return any_result(size);
}

static void read_text(const char *text)
{
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    while (*text)
      text++;
}

long read(int file, void *to, unsigned long size) { return receive(to, size); }
long pread(int file, void *to, unsigned long size, long at) { return receive(to, size); }
long write(int file, const void *from, unsigned long size) { return send_out(from, size); }
long pwrite(int file, const void *from, unsigned long size, long at) { return send_out(from, size); }

struct iovec { void *base; unsigned long size; };

long readv(int file, const struct iovec *parts, int count)
{
  unsigned long size = 0;
  for (int i = 0; i < count; i++)
    size += parts[i].size;
  long got = any_result(size);
  long left = got;
  for (int i = 0; i < count; i++)
    for (unsigned long j = 0; j < parts[i].size && left > 0; j++, left--)
      ((char *)parts[i].base)[j] = __VERIFIER_nondet_char();
  return got;
}

long writev(int file, const struct iovec *parts, int count)
{
  unsigned long size = 0;
  for (int i = 0; i < count; i++) {
    send_out(parts[i].base, parts[i].size);
    size += parts[i].size;
  }
  return any_result(size);
}

int open(const char *path, int flags, ...)
{
  read_text(path);
  return any_descriptor();
}

int openat(int folder, const char *path, int flags, ...)
{
  read_text(path);
  return any_descriptor();
}

int creat(const char *path, unsigned int mode)
{
  read_text(path);
  return any_descriptor();
}

int close(int file) { return any_status(); }
int dup(int file) { return any_descriptor(); }
int fsync(int file) { return any_status(); }
int fdatasync(int file) { return any_status(); }
void sync(void) {}
int ftruncate(int file, long size) { return any_status(); }
int isatty(int file) { return __VERIFIER_nondet_bool(); }
int flock(int file, int operation) { return any_status(); }

int dup2(int from, int to)
{
  return any_status() < 0 ? -1 : to;
}

int dup3(int from, int to, int flags) { return dup2(from, to); }

long lseek(int file, long offset, int from)
{
  long at = __VERIFIER_nondet_long();
  __VERIFIER_assume(at >= -1);
  return at;
}

static int any_pair(int *ends)
{
  int status = any_status();
  if (status == 0) {
    int first = __VERIFIER_nondet_int();
    __VERIFIER_assume(first >= 0 && first < 1048574);
    ends[0] = first;
    ends[1] = __VERIFIER_nondet_bool() ? first + 1 : first + 2;
  }
  return status;
}

int pipe(int *ends) { return any_pair(ends); }
int pipe2(int *ends, int flags) { return any_pair(ends); }
int socketpair(int domain, int type, int protocol, int *ends) { return any_pair(ends); }

int access(const char *path, int mode)
{
  read_text(path);
  return any_status();
}

int unlink(const char *path)
{
  read_text(path);
  return any_status();
}

int rmdir(const char *path) { return unlink(path); }
int chdir(const char *path) { return unlink(path); }
int remove(const char *path) { return unlink(path); }
int mkdir(const char *path, unsigned int mode) { return unlink(path); }
int chmod(const char *path, unsigned int mode) { return unlink(path); }

int rename(const char *from, const char *to)
{
  read_text(from);
  read_text(to);
  return any_status();
}

int link(const char *from, const char *to) { return rename(from, to); }
int symlink(const char *from, const char *to) { return rename(from, to); }

char *getcwd(char *to, unsigned long size)
{
  if (!to)
    __selvedge_unsupported("getcwd that allocates");
  unsigned long length = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(length < 4096);
  if (length == 0 || length >= size) {
    __selvedge_set_errno(34);
    return 0;
  }
  to[0] = '/';
  for (unsigned long i = 1; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(c != 0);
    to[i] = c;
  }
  to[length] = 0;
  return to;
}

int gethostname(char *to, unsigned long size)
{
  unsigned long length = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(length <= 64);
  if (length >= size) {
    __selvedge_set_errno(36);
    return -1;
  }
  for (unsigned long i = 0; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(c != 0);
    to[i] = c;
  }
  to[length] = 0;
  return 0;
}

/* Numbers that stay the same while the program runs, chosen at the first question. */
static int process, parent, user, group;

static int chosen(int *number, int least)
{
  __VERIFIER_atomic_begin();
  int known = *number;
  if (known == 0) {
    known = __VERIFIER_nondet_int();
    __VERIFIER_assume(known > 0 && known < 4194304 + least);
    *number = known;
  }
  __VERIFIER_atomic_end();
  return known;
}

int getpid(void) { return chosen(&process, 0); }
int getppid(void) { return chosen(&parent, 1) - 1; }
unsigned int getuid(void) { return (unsigned int)chosen(&user, 1) - 1; }
unsigned int getgid(void) { return (unsigned int)chosen(&group, 1) - 1; }
unsigned int geteuid(void) { return getuid(); }
unsigned int getegid(void) { return getgid(); }

static _Thread_local int thread;

int gettid(void) { return chosen(&thread, 0); }

long sysconf(int name)
{
  if (name == 30)
    return 4096;
  if (name == 83 || name == 84) {
    long processors = __VERIFIER_nondet_long();
    __VERIFIER_assume(processors >= 1 && processors <= 8192);
    return processors;
  }
  long value = __VERIFIER_nondet_long();
  __VERIFIER_assume(value >= -1);
  return value;
}

int getpagesize(void) { return 4096; }

int sched_getcpu(void)
{
  int processor = __VERIFIER_nondet_int();
  __VERIFIER_assume(processor >= 0 && processor < 8192);
  return processor;
}

int get_nprocs(void) { return 1 + sched_getcpu(); }
unsigned int alarm(unsigned int seconds) { return __VERIFIER_nondet_uint(); }
unsigned int umask(unsigned int mask)
{
  unsigned int old = __VERIFIER_nondet_uint();
  __VERIFIER_assume(old <= 511);
  return old;
}

int eventfd(unsigned int value, int flags) { return any_descriptor(); }
int timerfd_create(int clock, int flags) { return any_descriptor(); }
int epoll_create(int size) { return any_descriptor(); }
int epoll_create1(int flags) { return any_descriptor(); }
int epoll_ctl(int set, int operation, int file, void *event) { return any_status(); }

struct epoll_event { unsigned int events; unsigned long long data; } __attribute__((packed));

/* Which descriptors are ready, and the data that was registered with them, are not known. */
int epoll_wait(int set, struct epoll_event *events, int most, int timeout)
{
  int ready = (int)any_result((unsigned long)most);
  if (ready > 0)
    __selvedge_unsupported("events of epoll_wait");
  return ready;
}

struct pollfd { int file; short events; short revents; };

int poll(struct pollfd *files, unsigned long count, int timeout)
{
  int status = any_status();
  int ready = 0;
  for (unsigned long i = 0; status == 0 && i < count; i++) {
    short found = __VERIFIER_nondet_short();
    short possible = (short)(files[i].events | 56);
    __VERIFIER_assume((found & ~possible) == 0);
    __VERIFIER_assume(files[i].file >= 0 || found == 0);
    files[i].revents = found;
    if (found)
      ready++;
  }
  if (timeout < 0)
    __VERIFIER_assume(status < 0 || ready > 0);
  return status < 0 ? -1 : ready;
}

/* Sets keep some of the descriptors that they had. */
static int select_some(int limit, unsigned long *set)
{
  int ready = 0;
  if (set)
    for (int i = 0; i < limit; i++) {
      unsigned long bit = 1ul << (i % (8 * sizeof(long)));
      unsigned long *word = set + i / (8 * sizeof(long));
      if (*word & bit) {
        if (__VERIFIER_nondet_bool())
          ready++;
        else
          *word &= ~bit;
      }
    }
  return ready;
}

int select(int limit, void *reading, void *writing, void *failing, void *timeout)
{
  if (any_status() < 0)
    return -1;
  int ready = select_some(limit, reading);
  ready += select_some(limit, writing);
  ready += select_some(limit, failing);
  if (!timeout)
    __VERIFIER_assume(ready > 0);
  return ready;
}

int pselect(int limit, void *reading, void *writing, void *failing, const void *timeout, const void *mask)
{
  return select(limit, reading, writing, failing, (void *)timeout);
}


/* Commands whose argument is a pointer are not modelled. */
int fcntl(int file, int command, ...)
{
  if (command > 4 && command != 8 && command != 9 && command < 1024)
    __selvedge_unsupported("fcntl with this command");
  if (command >= 1024 && command != 1030)
    __selvedge_unsupported("fcntl with this command");
  int result = __VERIFIER_nondet_int();
  __VERIFIER_assume(result >= -1);
  return result;
}
