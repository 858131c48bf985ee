/* Arithmetic and the conversion of text to numbers. Results that do not fit are as on Linux: the
   nearest number of the type, and ERANGE. */

void __selvedge_set_errno(int number);

typedef struct { int quot; int rem; } div_t;
typedef struct { long quot; long rem; } ldiv_t;
typedef struct { long long quot; long long rem; } lldiv_t;

int abs(int number)
{
  __selvedge_defined(number != -2147483647 - 1, "overflow", "abs of the least int");
  return number < 0 ? -number : number;
}

long labs(long number)
{
  __selvedge_defined(number != (long)(1ul << (sizeof(long) * 8 - 1)), "overflow", "labs of the least long");
  return number < 0 ? -number : number;
}

long long llabs(long long number)
{
  __selvedge_defined(number != -9223372036854775807ll - 1, "overflow", "llabs of the least long long");
  return number < 0 ? -number : number;
}

long imaxabs(long number) { return labs(number); }

div_t div(int number, int by)
{
  __selvedge_defined(by != -1 || number != -2147483647 - 1, "overflow", "div of the least int by -1");
  div_t result = { number / by, number % by };
  return result;
}

ldiv_t ldiv(long number, long by)
{
  __selvedge_defined(by != -1 || number != (long)(1ul << (sizeof(long) * 8 - 1)), "overflow", "ldiv of the least long by -1");
  ldiv_t result = { number / by, number % by };
  return result;
}

lldiv_t lldiv(long long number, long long by)
{
  __selvedge_defined(by != -1 || number != -9223372036854775807ll - 1, "overflow", "lldiv of the least long long by -1");
  lldiv_t result = { number / by, number % by };
  return result;
}

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The digit's value, or 36. */
static int digit(int c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 36;
}

/* The magnitude of a number that is at most `limit`; its sign, and whether it was larger, through
   the pointers. `end` gets the place behind the last digit, or the beginning if there is none. */
static unsigned long long magnitude(const char *text, char **end, int base, unsigned long long limit, _Bool *negative, _Bool *larger)
{
  const char *p = text;
  const char *last = text;
  unsigned long long value = 0;
  *negative = 0;
  *larger = 0;
  while (is_space(*p))
    p++;
  if (*p == '-' || *p == '+') {
    *negative = *p == '-';
    p++;
  }
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16) {
    base = 16;
    p += 2;
  } else if (base == 0) {
    base = *p == '0' ? 8 : 10;
  }
  while (digit(*p) < base) {
    int next = digit(*p);
    if (value > (limit - next) / base)
      *larger = 1;
    else
      value = value * base + next;
    p++;
    last = p;
  }
  if (end)
    *end = (char *)last;
  return value;
}

static _Bool wrong_base(int base, const char *text, char **end)
{
  if (base == 0 || (base >= 2 && base <= 36))
    return 0;
  if (end)
    *end = (char *)text;
  __selvedge_set_errno(22);
  return 1;
}

static long long signed_number(const char *text, char **end, int base, unsigned long long most)
{
  _Bool negative;
  _Bool larger;
  if (wrong_base(base, text, end))
    return 0;
  unsigned long long value = magnitude(text, end, base, most + 1, &negative, &larger);
  if (larger || (!negative && value > most)) {
    __selvedge_set_errno(34);
    return negative ? -(long long)most - 1 : (long long)most;
  }
  return negative ? (long long)-value : (long long)value;
}

static unsigned long long unsigned_number(const char *text, char **end, int base, unsigned long long most)
{
  _Bool negative;
  _Bool larger;
  if (wrong_base(base, text, end))
    return 0;
  unsigned long long value = magnitude(text, end, base, most, &negative, &larger);
  if (larger) {
    __selvedge_set_errno(34);
    return most;
  }
  return negative ? -value : value;
}

long long strtoll(const char *text, char **end, int base)
{
  return signed_number(text, end, base, 9223372036854775807ull);
}

long strtol(const char *text, char **end, int base)
{
  return (long)signed_number(text, end, base, (unsigned long)-1 >> 1);
}

unsigned long strtoul(const char *text, char **end, int base)
{
  return (unsigned long)unsigned_number(text, end, base, (unsigned long)-1);
}

unsigned long long strtoull(const char *text, char **end, int base)
{
  return unsigned_number(text, end, base, 18446744073709551615ull);
}

long long strtoq(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long long strtouq(const char *text, char **end, int base) { return strtoull(text, end, base); }
long long strtoimax(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long long strtoumax(const char *text, char **end, int base) { return strtoull(text, end, base); }

int atoi(const char *text) { return (int)strtol(text, 0, 10); }
long atol(const char *text) { return strtol(text, 0, 10); }
long long atoll(const char *text) { return strtoll(text, 0, 10); }
