/* The formats of printf: text into memory, as far as there is room. `at` counts all characters;
   those from `limit` on are not stored. A literal format is read by the front end, which calls these
   functions one by one; any other is read by __selvedge_format. */

void __selvedge_set_errno(int number);

unsigned long __selvedge_put_char(char *to, unsigned long limit, unsigned long at, int c)
{
  if (at < limit)
    to[at] = (char)c;
  return at + 1;
}

static unsigned long fill(char *to, unsigned long limit, unsigned long at, long count, int c)
{
  for (long i = 0; i < count; i++)
    at = __selvedge_put_char(to, limit, at, c);
  return at;
}

/* A text that is printed must not lie where anything is stored, up to `end`. `length` counts what is
   read of it. */
static void apart(const char *to, unsigned long end, const char *text, int length)
{
  for (unsigned long i = 0; i < end; i++)
    __selvedge_defined(to + i != text, "memory", "printing a string to memory that it overlaps");
  for (int i = 0; i < length; i++)
    __selvedge_defined(text + i != to, "memory", "printing a string to memory that it overlaps");
}

/* `flags` has one bit for each of "-0+ #". A negative width is a positive one with "-"; a negative
   precision is none. */
unsigned long __selvedge_put_text(char *to, unsigned long limit, unsigned long at, const char *text, int flags, int width, int precision)
{
  int length = 0;
  while ((precision < 0 || length < precision) && text[length])
    length++;
  _Bool ended = precision < 0 || length < precision;
  unsigned long end = at + (unsigned long)length;
  if (limit > 0)
    apart(to, end < limit ? end : limit, text, length + ended);
  _Bool left = (flags & 1) != 0 || width < 0;
  int padding = (width < 0 ? -width : width) - length;
  if (!left)
    at = fill(to, limit, at, padding, ' ');
  for (int i = 0; i < length; i++)
    at = __selvedge_put_char(to, limit, at, text[i]);
  if (left)
    at = fill(to, limit, at, padding, ' ');
  return at;
}

unsigned long __selvedge_put_one(char *to, unsigned long limit, unsigned long at, int c, int flags, int width)
{
  _Bool left = (flags & 1) != 0 || width < 0;
  int padding = (width < 0 ? -width : width) - 1;
  if (!left)
    at = fill(to, limit, at, padding, ' ');
  at = __selvedge_put_char(to, limit, at, (unsigned char)c);
  if (left)
    at = fill(to, limit, at, padding, ' ');
  return at;
}

/* The digits of a number after its sign or prefix; `letter` is the conversion. */
static unsigned long put_digits(char *to, unsigned long limit, unsigned long at, unsigned long long value, int letter, int sign, int flags, int width, int precision)
{
  char digits[24];
  int base = letter == 'x' || letter == 'X' ? 16 : letter == 'o' ? 8 : 10;
  int count = 0;
  _Bool prefixed = base == 16 && (flags & 16) != 0 && value != 0;
  while (value > 0) {
    int digit = (int)(value % (unsigned long long)base);
    digits[count] = (char)(digit < 10 ? '0' + digit : (letter == 'X' ? 'A' : 'a') + digit - 10);
    count++;
    value /= (unsigned long long)base;
  }
  _Bool left = (flags & 1) != 0 || width < 0;
  int zeroes = precision < 0 ? count == 0 : precision > count ? precision - count : 0;
  if (base == 8 && (flags & 16) != 0 && zeroes == 0)
    zeroes = 1;
  int padding = (width < 0 ? -width : width) - count - zeroes - (sign != 0) - 2 * prefixed;
  if (!left && (flags & 2) != 0 && precision < 0 && padding > 0) {
    zeroes += padding;
    padding = 0;
  }
  if (!left)
    at = fill(to, limit, at, padding, ' ');
  if (sign)
    at = __selvedge_put_char(to, limit, at, sign);
  if (prefixed) {
    at = __selvedge_put_char(to, limit, at, '0');
    at = __selvedge_put_char(to, limit, at, letter);
  }
  at = fill(to, limit, at, zeroes, '0');
  while (count > 0) {
    count--;
    at = __selvedge_put_char(to, limit, at, digits[count]);
  }
  if (left)
    at = fill(to, limit, at, padding, ' ');
  return at;
}

unsigned long __selvedge_put_signed(char *to, unsigned long limit, unsigned long at, long long value, int letter, int flags, int width, int precision)
{
  unsigned long long magnitude = (unsigned long long)value;
  int sign = (flags & 4) != 0 ? '+' : (flags & 8) != 0 ? ' ' : 0;
  if (value < 0) {
    magnitude = -magnitude;
    sign = '-';
  }
  return put_digits(to, limit, at, magnitude, letter, sign, flags, width, precision);
}

unsigned long __selvedge_put_unsigned(char *to, unsigned long limit, unsigned long at, unsigned long long value, int letter, int flags, int width, int precision)
{
  return put_digits(to, limit, at, value, letter, 0, flags, width, precision);
}

/* Text of which only the length is known: a pointer, the message of an error number. */
unsigned long __selvedge_put_any(char *to, unsigned long limit, unsigned long at, int least, int most)
{
  int length = __VERIFIER_nondet_int();
  __VERIFIER_assume(length >= least && length <= most);
  for (int i = 0; i < length; i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(c > ' ' && c <= '~');
    at = __selvedge_put_char(to, limit, at, c);
  }
  return at;
}

/* How many characters are stored in a buffer of `size` bytes. */
unsigned long __selvedge_put_limit(unsigned long size) { return size > 0 ? size - 1 : 0; }

/* The end of the text, in a buffer of `size` bytes. */
int __selvedge_put_end(char *to, unsigned long size, unsigned long at)
{
  if (size > 0)
    to[at < size ? at : size - 1] = 0;
  if (at > 2147483647) {
    __selvedge_set_errno(75);
    return -1;
  }
  return (int)at;
}

/* How long a conversion's argument is: -2 for hh, -1 for h, 1 for l, 2 for ll and j, 3 for z and t. */
int __selvedge_read_length(const char **format)
{
  int length = 0;
  for (;; (*format)++) {
    char c = **format;
    if (c == 'h')
      length--;
    else if (c == 'l')
      length++;
    else if (c == 'j' || c == 'q' || c == 'L')
      length = 2;
    else if (c == 'z' || c == 't')
      length = 3;
    else
      return length;
  }
}

static int read_flags(const char **format)
{
  int flags = 0;
  for (;; (*format)++) {
    char c = **format;
    if (c == '-')
      flags |= 1;
    else if (c == '0')
      flags |= 2;
    else if (c == '+')
      flags |= 4;
    else if (c == ' ')
      flags |= 8;
    else if (c == '#')
      flags |= 16;
    else
      return flags;
  }
}

static int read_number(const char **format)
{
  int number = 0;
  while (**format >= '0' && **format <= '9') {
    number = number * 10 + (**format - '0');
    (*format)++;
  }
  return number;
}

static void store_count(void *to, int length, unsigned long at)
{
  if (length == -2)
    *(signed char *)to = (signed char)at;
  else if (length == -1)
    *(short *)to = (short)at;
  else if (length == 0)
    *(int *)to = (int)at;
  else if (length == 2)
    *(long long *)to = (long long)at;
  else
    *(long *)to = (long)at;
}

unsigned long __selvedge_format(char *to, unsigned long limit, const char *format, __builtin_va_list list)
{
  unsigned long at = 0;
  while (*format) {
    if (*format != '%') {
      at = __selvedge_put_char(to, limit, at, *format);
      format++;
      continue;
    }
    format++;
    int flags = read_flags(&format);
    int width = 0;
    int precision = -1;
    if (*format == '*') {
      width = __builtin_va_arg(list, int);
      format++;
    } else {
      width = read_number(&format);
    }
    if (*format == '.') {
      format++;
      if (*format == '*') {
        precision = __builtin_va_arg(list, int);
        format++;
      } else {
        precision = read_number(&format);
      }
    }
    int length = __selvedge_read_length(&format);
    char letter = *format;
    if (letter)
      format++;
    if (letter == 'd' || letter == 'i') {
      long long value;
      if (length == 1 || length == 3)
        value = __builtin_va_arg(list, long);
      else if (length == 2)
        value = __builtin_va_arg(list, long long);
      else
        value = __builtin_va_arg(list, int);
      if (length == -1)
        value = (short)value;
      if (length == -2)
        value = (signed char)value;
      at = __selvedge_put_signed(to, limit, at, value, letter, flags, width, precision);
    } else if (letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
      unsigned long long value;
      if (length == 1 || length == 3)
        value = __builtin_va_arg(list, unsigned long);
      else if (length == 2)
        value = __builtin_va_arg(list, unsigned long long);
      else
        value = __builtin_va_arg(list, unsigned int);
      if (length == -1)
        value = (unsigned short)value;
      if (length == -2)
        value = (unsigned char)value;
      at = __selvedge_put_unsigned(to, limit, at, value, letter, flags, width, precision);
    } else if (letter == 's' && length == 0) {
      at = __selvedge_put_text(to, limit, at, __builtin_va_arg(list, const char *), flags, width, precision);
    } else if (letter == 'c' && length == 0) {
      at = __selvedge_put_one(to, limit, at, __builtin_va_arg(list, int), flags, width);
    } else if (letter == 'p') {
      void *pointer = __builtin_va_arg(list, void *);
      at = __selvedge_put_any(to, limit, at, width > 3 ? width : 3, width > 18 ? width : 18);
    } else if (letter == 'm') {
      at = __selvedge_put_any(to, limit, at, 0, 63);
    } else if (letter == 'n') {
      store_count(__builtin_va_arg(list, void *), length, at);
    } else if (letter == '%') {
      at = __selvedge_put_char(to, limit, at, '%');
    } else {
      __selvedge_unsupported("a conversion of this kind in a format that is not a literal");
    }
  }
  return at;
}
