/* Output does nothing but read its arguments; its result is an input (output can fail). Input
   functions give inputs. What formats text into memory is not modelled. */

struct _IO_FILE;
static char in, out, err;
struct _IO_FILE *stdin = (struct _IO_FILE *)&in;
struct _IO_FILE *stdout = (struct _IO_FILE *)&out;
struct _IO_FILE *stderr = (struct _IO_FILE *)&err;

/* A string that is printed matters only where reading it can be an error. */
void __selvedge_read_string(const char *text)
{
  if (__selvedge_checks("race") || __selvedge_checks("memory"))
    while (*text)
      text++;
}

__attribute__((format(printf, 1, 2)))
int printf(const char *format, ...) { return __VERIFIER_nondet_int(); }
__attribute__((format(printf, 2, 3)))
int fprintf(struct _IO_FILE *file, const char *format, ...) { return __VERIFIER_nondet_int(); }
__attribute__((format(printf, 2, 3)))
int dprintf(int file, const char *format, ...) { return __VERIFIER_nondet_int(); }

int puts(const char *text)
{
  __selvedge_read_string(text);
  return __VERIFIER_nondet_int();
}

int fputs(const char *text, struct _IO_FILE *file)
{
  __selvedge_read_string(text);
  return __VERIFIER_nondet_int();
}

void perror(const char *text)
{
  if (text)
    __selvedge_read_string(text);
}

int putchar(int c) { return __VERIFIER_nondet_int(); }
int putc(int c, struct _IO_FILE *file) { return __VERIFIER_nondet_int(); }
int fputc(int c, struct _IO_FILE *file) { return __VERIFIER_nondet_int(); }
int fflush(struct _IO_FILE *file) { return __VERIFIER_nondet_int(); }
void setbuf(struct _IO_FILE *file, char *buffer) {}
int setvbuf(struct _IO_FILE *file, char *buffer, int mode, unsigned long size)
{
  return __VERIFIER_nondet_int();
}

int getchar(void)
{
  int c = __VERIFIER_nondet_int();
  __VERIFIER_assume(c >= -1 && c <= 255);
  return c;
}

int getc(struct _IO_FILE *file) { return getchar(); }
int fgetc(struct _IO_FILE *file) { return getchar(); }

int sprintf(char *to, const char *format, ...)
{
  __selvedge_unsupported("sprintf");
  return 0;
}

int snprintf(char *to, unsigned long size, const char *format, ...)
{
  __selvedge_unsupported("snprintf");
  return 0;
}

int scanf(const char *format, ...)
{
  __selvedge_unsupported("scanf");
  return 0;
}

int fscanf(struct _IO_FILE *file, const char *format, ...)
{
  __selvedge_unsupported("fscanf");
  return 0;
}

int sscanf(const char *text, const char *format, ...)
{
  __selvedge_unsupported("sscanf");
  return 0;
}

char *fgets(char *to, int size, struct _IO_FILE *file)
{
  __selvedge_unsupported("fgets");
  return 0;
}
