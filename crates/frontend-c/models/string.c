/* Memory and string functions, byte by byte. Where C leaves overlapping arguments undefined, each step
   asks whether one of them begins where it has come to in the other. */

void __selvedge_set_errno(int number);
void *malloc(unsigned long size);
int tolower(int c);

__attribute__((selvedge_intrinsic(clear)))
void *memset(void *to, int value, unsigned long size)
{
  unsigned char *p = to;
  for (unsigned long i = 0; i < size; i++)
    p[i] = (unsigned char)value;
  return to;
}

void bzero(void *to, unsigned long size) { memset(to, 0, size); }

__attribute__((selvedge_intrinsic(copy)))
void *memcpy(void *to, const void *from, unsigned long size)
{
  unsigned char *p = to;
  const unsigned char *q = from;
  for (unsigned long i = 0; i < size; i++) {
    __selvedge_defined(p + i != q && q + i != p, "memory", "memcpy of memory that overlaps");
    p[i] = q[i];
  }
  return to;
}

void *mempcpy(void *to, const void *from, unsigned long size)
{
  memcpy(to, from, size);
  return (unsigned char *)to + size;
}

static _Bool starts_inside(const unsigned char *p, const unsigned char *q, unsigned long size)
{
  for (unsigned long i = 1; i < size; i++)
    if (p == q + i)
      return 1;
  return 0;
}

/* Backwards where the target starts inside the source. Equality, unlike an order, is defined on
   pointers into different objects. */
__attribute__((selvedge_intrinsic(move)))
void *memmove(void *to, const void *from, unsigned long size)
{
  unsigned char *p = to;
  const unsigned char *q = from;
  if (starts_inside(p, q, size)) {
    for (unsigned long i = size; i > 0; i--)
      p[i - 1] = q[i - 1];
  } else {
    for (unsigned long i = 0; i < size; i++)
      p[i] = q[i];
  }
  return to;
}

int memcmp(const void *a, const void *b, unsigned long size)
{
  const unsigned char *p = a;
  const unsigned char *q = b;
  for (unsigned long i = 0; i < size; i++)
    if (p[i] != q[i])
      return p[i] - q[i];
  return 0;
}

void *memchr(const void *in, int value, unsigned long size)
{
  const unsigned char *p = in;
  for (unsigned long i = 0; i < size; i++)
    if (p[i] == (unsigned char)value)
      return (void *)(p + i);
  return 0;
}

void *memrchr(const void *in, int value, unsigned long size)
{
  const unsigned char *p = in;
  for (unsigned long i = size; i > 0; i--)
    if (p[i - 1] == (unsigned char)value)
      return (void *)(p + i - 1);
  return 0;
}

void *rawmemchr(const void *in, int value)
{
  const unsigned char *p = in;
  while (*p != (unsigned char)value)
    p++;
  return (void *)p;
}

void *memmem(const void *in, unsigned long in_size, const void *part, unsigned long size)
{
  const unsigned char *p = in;
  for (unsigned long i = 0; i + size <= in_size && size <= in_size; i++)
    if (memcmp(p + i, part, size) == 0)
      return (void *)(p + i);
  return 0;
}

void *memccpy(void *to, const void *from, int last, unsigned long size)
{
  unsigned char *p = to;
  const unsigned char *q = from;
  for (unsigned long i = 0; i < size; i++) {
    __selvedge_defined(p + i != q && q + i != p, "memory", "memccpy of memory that overlaps");
    p[i] = q[i];
    if (q[i] == (unsigned char)last)
      return p + i + 1;
  }
  return 0;
}

unsigned long strlen(const char *text)
{
  unsigned long length = 0;
  while (text[length])
    length++;
  return length;
}

unsigned long strnlen(const char *text, unsigned long limit)
{
  unsigned long length = 0;
  while (length < limit && text[length])
    length++;
  return length;
}

char *strcpy(char *to, const char *from)
{
  unsigned long i = 0;
  char c;
  do {
    __selvedge_defined(to + i != from && from + i != to, "memory", "copying a string to memory that it overlaps");
    c = from[i];
    to[i] = c;
    i++;
  } while (c);
  return to;
}

char *stpcpy(char *to, const char *from)
{
  strcpy(to, from);
  return to + strlen(to);
}

char *strncpy(char *to, const char *from, unsigned long size)
{
  unsigned long i = 0;
  while (i < size && from[i]) {
    __selvedge_defined(to + i != from && from + i != to, "memory", "copying a string to memory that it overlaps");
    to[i] = from[i];
    i++;
  }
  while (i < size) {
    to[i] = 0;
    i++;
  }
  return to;
}

char *stpncpy(char *to, const char *from, unsigned long size)
{
  strncpy(to, from, size);
  return to + strnlen(to, size);
}

char *strcat(char *to, const char *from)
{
  strcpy(to + strlen(to), from);
  return to;
}

char *strncat(char *to, const char *from, unsigned long size)
{
  char *end = to + strlen(to);
  unsigned long i = 0;
  while (i < size && from[i]) {
    __selvedge_defined(end + i != from && from + i != end, "memory", "copying a string to memory that it overlaps");
    end[i] = from[i];
    i++;
  }
  end[i] = 0;
  return to;
}

int strcmp(const char *a, const char *b)
{
  unsigned long i = 0;
  while (a[i] && a[i] == b[i])
    i++;
  return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, unsigned long size)
{
  for (unsigned long i = 0; i < size; i++) {
    unsigned char p = a[i];
    unsigned char q = b[i];
    if (p != q)
      return p - q;
    if (!p)
      return 0;
  }
  return 0;
}

char *strchr(const char *text, int value)
{
  for (;; text++) {
    char c = *text;
    if (c == (char)value)
      return (char *)text;
    if (!c)
      return 0;
  }
}

char *strrchr(const char *text, int value)
{
  const char *found = 0;
  for (;; text++) {
    char c = *text;
    if (c == (char)value)
      found = text;
    if (!c)
      return (char *)found;
  }
}

char *strstr(const char *text, const char *part)
{
  unsigned long length = strlen(part);
  for (;; text++) {
    if (strncmp(text, part, length) == 0)
      return (char *)text;
    if (!*text)
      return 0;
  }
}

char *strdup(const char *text)
{
  char *copy = malloc(strlen(text) + 1);
  if (!copy)
    return 0;
  return strcpy(copy, text);
}

char *strndup(const char *text, unsigned long size)
{
  unsigned long length = strnlen(text, size);
  char *copy = malloc(length + 1);
  if (!copy)
    return 0;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}
