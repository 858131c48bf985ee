/* Streams. Output reads its arguments and may fail; input is any text. A stream is an object that
   closing it ends. What formats mean stands in format.c and scan.c. */

struct _IO_FILE;
static char in, out, err;
struct _IO_FILE *stdin = (struct _IO_FILE *)&in;
struct _IO_FILE *stdout = (struct _IO_FILE *)&out;
struct _IO_FILE *stderr = (struct _IO_FILE *)&err;

void __selvedge_set_errno(int number);
void *malloc(unsigned long size);
void free(void *start);
unsigned long __selvedge_format(char *to, unsigned long limit, const char *format, __builtin_va_list list);
int __selvedge_put_end(char *to, unsigned long size, unsigned long at);
int __selvedge_scan(const char *text, const char *format, __builtin_va_list list);
int __selvedge_scan_any(const char *format, __builtin_va_list list);

/* A string that is printed matters only where reading it can be an error. */
void __selvedge_read_string(const char *text)
{
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    while (*text)
      text++;
}

void __selvedge_read_chars(const char *text, int most)
{
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    for (int i = 0; (most < 0 || i < most) && text[i]; i++)
      ;
}

/* Using a stream that is null or closed is an error. */
static void use(struct _IO_FILE *file)
{
  if (__selvedge_checks("memory")) {
    char read = *(char *)file;
  }
}

/* The number, or -1: output can fail. */
static int or_failure(int number)
{
  return __VERIFIER_nondet_bool() ? number : -1;
}

int __selvedge_printed(int count) { return or_failure(count); }

/* Formats that are not literals, or whose arguments are in a list. */
static int print_list(const char *format, __builtin_va_list list)
{
  return or_failure((int)__selvedge_format(0, 0, format, list));
}

int vprintf(const char *format, __builtin_va_list list) { return print_list(format, list); }

int vfprintf(struct _IO_FILE *file, const char *format, __builtin_va_list list)
{
  use(file);
  return print_list(format, list);
}

int vdprintf(int file, const char *format, __builtin_va_list list) { return print_list(format, list); }
void vsyslog(int priority, const char *format, __builtin_va_list list) { print_list(format, list); }

int vsprintf(char *to, const char *format, __builtin_va_list list)
{
  unsigned long at = __selvedge_format(to, -1ul, format, list);
  return __selvedge_put_end(to, -1ul, at);
}

int vsnprintf(char *to, unsigned long size, const char *format, __builtin_va_list list)
{
  unsigned long at = __selvedge_format(to, size > 0 ? size - 1 : 0, format, list);
  return __selvedge_put_end(to, size, at);
}

int vasprintf(char **result, const char *format, __builtin_va_list list)
{
  __builtin_va_list again;
  __builtin_va_copy(again, list);
  unsigned long length = __selvedge_format(0, 0, format, list);
  char *to = malloc(length + 1);
  if (!to)
    return -1;
  *result = to;
  return vsprintf(to, format, again);
}

__attribute__((format(printf, 1, 2)))
int printf(const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return print_list(format, list);
}

__attribute__((format(printf, 2, 3)))
int fprintf(struct _IO_FILE *file, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vfprintf(file, format, list);
}

__attribute__((format(printf, 2, 3)))
int dprintf(int file, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return print_list(format, list);
}

__attribute__((format(printf, 2, 3)))
void syslog(int priority, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  print_list(format, list);
}

__attribute__((format(printf, 2, 3), selvedge_sink(1)))
int sprintf(char *to, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vsprintf(to, format, list);
}

__attribute__((format(printf, 3, 4), selvedge_sink(1, 2)))
int snprintf(char *to, unsigned long size, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vsnprintf(to, size, format, list);
}

int asprintf(char **result, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vasprintf(result, format, list);
}

int vsscanf(const char *text, const char *format, __builtin_va_list list) { return __selvedge_scan(text, format, list); }
int vscanf(const char *format, __builtin_va_list list) { return __selvedge_scan_any(format, list); }

int vfscanf(struct _IO_FILE *file, const char *format, __builtin_va_list list)
{
  use(file);
  return __selvedge_scan_any(format, list);
}

int sscanf(const char *text, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return __selvedge_scan(text, format, list);
}

int scanf(const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return __selvedge_scan_any(format, list);
}

int fscanf(struct _IO_FILE *file, const char *format, ...)
{
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return vfscanf(file, format, list);
}

static int any_count(void)
{
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(number >= -1);
  return number;
}

int puts(const char *text)
{
  __selvedge_read_string(text);
  return any_count();
}

int fputs(const char *text, struct _IO_FILE *file)
{
  use(file);
  __selvedge_read_string(text);
  return any_count();
}

void perror(const char *text)
{
  if (text)
    __selvedge_read_string(text);
}

int putchar(int c) { return or_failure((unsigned char)c); }

int fputc(int c, struct _IO_FILE *file)
{
  use(file);
  return or_failure((unsigned char)c);
}

int putc(int c, struct _IO_FILE *file) { return fputc(c, file); }
int _IO_putc(int c, struct _IO_FILE *file) { return fputc(c, file); }

int fflush(struct _IO_FILE *file) { return or_failure(0); }
void setbuf(struct _IO_FILE *file, char *buffer) {}
void setlinebuf(struct _IO_FILE *file) {}

int setvbuf(struct _IO_FILE *file, char *buffer, int mode, unsigned long size)
{
  use(file);
  return or_failure(0);
}

unsigned long fwrite(const void *from, unsigned long size, unsigned long count, struct _IO_FILE *file)
{
  const char *p = from;
  use(file);
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    for (unsigned long i = 0; i < size * count; i++) {
      char read = p[i];
    }
  unsigned long written = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(size == 0 ? written == 0 : written <= count);
  return written;
}

int getchar(void)
{
  int c = __VERIFIER_nondet_int();
  __VERIFIER_assume(c >= -1 && c <= 255);
  return c;
}

int fgetc(struct _IO_FILE *file)
{
  use(file);
  return getchar();
}

int getc(struct _IO_FILE *file) { return fgetc(file); }
int _IO_getc(struct _IO_FILE *file) { return fgetc(file); }

int ungetc(int c, struct _IO_FILE *file)
{
  use(file);
  return c == -1 ? -1 : or_failure((unsigned char)c);
}

/* Threads that use these at once conflict. */
static char unlocked;

int getc_unlocked(struct _IO_FILE *file)
{
  if (__selvedge_checks("race"))
    unlocked = 0;
  return fgetc(file);
}

int putc_unlocked(int c, struct _IO_FILE *file)
{
  if (__selvedge_checks("race"))
    unlocked = 0;
  return fputc(c, file);
}

int getchar_unlocked(void)
{
  if (__selvedge_checks("race"))
    unlocked = 0;
  return getchar();
}

int putchar_unlocked(int c)
{
  if (__selvedge_checks("race"))
    unlocked = 0;
  return putchar(c);
}

unsigned long fread(void *to, unsigned long size, unsigned long count, struct _IO_FILE *file)
{
  char *p = to;
  use(file);
  unsigned long got = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(size == 0 ? got == 0 : got <= count);
  for (unsigned long i = 0; i < size * got; i++)
    p[i] = __VERIFIER_nondet_char();
  return got;
}

char *fgets(char *to, int size, struct _IO_FILE *file)
{
  use(file);
  if (size <= 0 || __VERIFIER_nondet_bool())
    return 0;
  int length = __VERIFIER_nondet_int();
  __VERIFIER_assume(length >= (size > 1) && length < size);
  for (int i = 0; i < length; i++)
    to[i] = __VERIFIER_nondet_char();
  to[length] = 0;
  return to;
}

/* No room is enough. */
char *gets(char *to)
{
  char *p = to;
  if (__VERIFIER_nondet_bool())
    return 0;
  while (__VERIFIER_nondet_bool())
    *p++ = __VERIFIER_nondet_char();
  *p = 0;
  return to;
}

long getdelim(char **line, unsigned long *size, int last, struct _IO_FILE *file)
{
  use(file);
  long length = __VERIFIER_nondet_long();
  __VERIFIER_assume(length == -1 || (length >= 1 && length <= 1073741823));
  if (length < 0)
    return -1;
  if (!*line || *size <= (unsigned long)length) {
    unsigned long room = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(room > (unsigned long)length && room <= 2147483647);
    free(*line);
    *line = malloc(room);
    *size = room;
    if (!*line)
      return -1;
  }
  char *to = *line;
  for (long i = 0; i < length; i++)
    to[i] = __VERIFIER_nondet_char();
  to[length] = 0;
  return length;
}

long getline(char **line, unsigned long *size, struct _IO_FILE *file) { return getdelim(line, size, '\n', file); }

static struct _IO_FILE *any_stream(void)
{
  if (__VERIFIER_nondet_bool()) {
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error < 134);
    __selvedge_set_errno(error);
    return 0;
  }
  return __selvedge_alloc(1, 1);
}

struct _IO_FILE *fopen(const char *path, const char *mode)
{
  __selvedge_read_string(path);
  __selvedge_read_string(mode);
  return any_stream();
}

struct _IO_FILE *fdopen(int file, const char *mode) { return any_stream(); }
struct _IO_FILE *tmpfile(void) { return any_stream(); }

struct _IO_FILE *popen(const char *command, const char *mode)
{
  __selvedge_read_string(command);
  return any_stream();
}

static void close_stream(struct _IO_FILE *file)
{
  if ((char *)file != &in && (char *)file != &out && (char *)file != &err)
    __selvedge_free(file);
}

int fclose(struct _IO_FILE *file)
{
  use(file);
  close_stream(file);
  return or_failure(0);
}

int pclose(struct _IO_FILE *file)
{
  use(file);
  close_stream(file);
  return any_count();
}

int feof(struct _IO_FILE *file)
{
  use(file);
  return __VERIFIER_nondet_bool();
}

int ferror(struct _IO_FILE *file) { return feof(file); }
void clearerr(struct _IO_FILE *file) { use(file); }
void rewind(struct _IO_FILE *file) { use(file); }

int fseek(struct _IO_FILE *file, long offset, int from)
{
  use(file);
  return or_failure(0);
}

int fseeko(struct _IO_FILE *file, long offset, int from) { return fseek(file, offset, from); }

long ftell(struct _IO_FILE *file)
{
  use(file);
  long at = __VERIFIER_nondet_long();
  __VERIFIER_assume(at >= -1);
  return at;
}

long ftello(struct _IO_FILE *file) { return ftell(file); }

int fileno(struct _IO_FILE *file)
{
  use(file);
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(number >= 0 && number < 1048576);
  return number;
}

void openlog(const char *name, int options, int facility) {}
void closelog(void) {}
