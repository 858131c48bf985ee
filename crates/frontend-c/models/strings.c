/* Searching in strings and taking them apart; comparing without case; the lowest bit. */

unsigned long strlen(const char *text);
int strncmp(const char *a, const char *b, unsigned long size);
int memcmp(const void *a, const void *b, unsigned long size);
void *memmove(void *to, const void *from, unsigned long size);
void *memset(void *to, int value, unsigned long size);
char *strchr(const char *text, int value);
char *strrchr(const char *text, int value);
int tolower(int c);
int __selvedge_ffs(unsigned long long x);

char *strchrnul(const char *text, int value)
{
  while (*text && *text != (char)value)
    text++;
  return (char *)text;
}

static _Bool is_one_of(char c, const char *set)
{
  while (*set && *set != c)
    set++;
  return *set != 0;
}

unsigned long strspn(const char *text, const char *set)
{
  unsigned long length = 0;
  while (text[length] && is_one_of(text[length], set))
    length++;
  return length;
}

unsigned long strcspn(const char *text, const char *set)
{
  unsigned long length = 0;
  while (text[length] && !is_one_of(text[length], set))
    length++;
  return length;
}

char *strpbrk(const char *text, const char *set)
{
  text += strcspn(text, set);
  return *text ? (char *)text : 0;
}

char *strtok_r(char *text, const char *set, char **place)
{
  if (!text)
    text = *place;
  if (!text)
    return 0;
  text += strspn(text, set);
  if (!*text) {
    *place = text;
    return 0;
  }
  char *end = text + strcspn(text, set);
  if (*end) {
    *end = 0;
    end++;
  }
  *place = end;
  return text;
}

char *__strtok_r(char *text, const char *set, char **place) { return strtok_r(text, set, place); }

/* Where strtok goes on, for all threads. */
static char *place_of_strtok;

char *strtok(char *text, const char *set) { return strtok_r(text, set, &place_of_strtok); }

char *strsep(char **text, const char *set)
{
  char *start = *text;
  if (!start)
    return 0;
  char *end = start + strcspn(start, set);
  if (*end) {
    *end = 0;
    *text = end + 1;
  } else {
    *text = 0;
  }
  return start;
}

int strcasecmp(const char *a, const char *b)
{
  unsigned long i = 0;
  while (a[i] && tolower((unsigned char)a[i]) == tolower((unsigned char)b[i]))
    i++;
  return tolower((unsigned char)a[i]) - tolower((unsigned char)b[i]);
}

int strncasecmp(const char *a, const char *b, unsigned long size)
{
  for (unsigned long i = 0; i < size; i++) {
    int p = tolower((unsigned char)a[i]);
    int q = tolower((unsigned char)b[i]);
    if (p != q)
      return p - q;
    if (!p)
      return 0;
  }
  return 0;
}

char *strcasestr(const char *text, const char *part)
{
  unsigned long length = strlen(part);
  for (;; text++) {
    if (strncasecmp(text, part, length) == 0)
      return (char *)text;
    if (!*text)
      return 0;
  }
}

unsigned long strlcpy(char *to, const char *from, unsigned long size)
{
  unsigned long i = 0;
  for (; size > 0 && i < size - 1 && from[i]; i++)
    to[i] = from[i];
  if (size > 0)
    to[i] = 0;
  return strlen(from);
}

unsigned long strlcat(char *to, const char *from, unsigned long size)
{
  unsigned long length = 0;
  while (length < size && to[length])
    length++;
  if (length == size)
    return size + strlen(from);
  return length + strlcpy(to + length, from, size - length);
}

/* In the locale "C", characters are ordered by their codes. */
int strcoll(const char *a, const char *b)
{
  unsigned long i = 0;
  while (a[i] && a[i] == b[i])
    i++;
  return (unsigned char)a[i] - (unsigned char)b[i];
}

unsigned long strxfrm(char *to, const char *from, unsigned long size)
{
  unsigned long length = strlen(from);
  if (length < size)
    for (unsigned long i = 0; i <= length; i++)
      to[i] = from[i];
  return length;
}

char *index(const char *text, int value) { return strchr(text, value); }
char *rindex(const char *text, int value) { return strrchr(text, value); }
int bcmp(const void *a, const void *b, unsigned long size) { return memcmp(a, b, size); }
void bcopy(const void *from, void *to, unsigned long size) { memmove(to, from, size); }
void explicit_bzero(void *to, unsigned long size) { memset(to, 0, size); }

int ffs(int x) { return __selvedge_ffs((unsigned int)x); }
int ffsl(long x) { return __selvedge_ffs((unsigned long)x); }
int ffsll(long long x) { return __selvedge_ffs((unsigned long long)x); }

/* What the messages say is not modelled: any text that is shorter than this. */
static char *any_message(void)
{
  char *message = __selvedge_alloc(64, 0);
  message[63] = 0;
  return message;
}

static char message_of_strerror;

char *strerror(int error)
{
  if (__selvedge_checks("race"))
    message_of_strerror = 0;
  return any_message();
}

char *strsignal(int signal)
{
  if (__selvedge_checks("race"))
    message_of_strerror = 0;
  return any_message();
}

char *strerror_l(int error, void *locale) { return any_message(); }
const char *strerrordesc_np(int error) { return any_message(); }
