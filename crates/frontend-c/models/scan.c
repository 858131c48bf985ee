/* The formats of scanf. Text in memory is read as it is; what comes from a file is any text that fits the
   format. */

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int __selvedge_read_length(const char **format);

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

static void store_number(void *to, int length, unsigned long long value)
{
  if (length == -2)
    *(unsigned char *)to = (unsigned char)value;
  else if (length == -1)
    *(unsigned short *)to = (unsigned short)value;
  else if (length == 0)
    *(unsigned int *)to = (unsigned int)value;
  else if (length == 2)
    *(unsigned long long *)to = value;
  else
    *(unsigned long *)to = (unsigned long)value;
}

/* A number of at most `width` characters at the beginning of the text; how long it is, 0 for none. */
static int scan_number(const char *text, int letter, int width, unsigned long long *value)
{
  int base = letter == 'x' || letter == 'X' ? 16 : letter == 'o' ? 8 : letter == 'i' ? 0 : 10;
  int i = 0;
  int digits = 0;
  _Bool negative = 0;
  unsigned long long found = 0;
  if (i < width && (text[i] == '-' || text[i] == '+')) {
    negative = text[i] == '-';
    i++;
  }
  if ((base == 0 || base == 16) && i + 2 < width && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X') && digit(text[i + 2]) < 16) {
    base = 16;
    i += 2;
  } else if (base == 0) {
    base = text[i] == '0' ? 8 : 10;
  }
  while (i < width && digit(text[i]) < base) {
    if (digits >= (base == 16 ? 16 : base == 8 ? 21 : 18))
      __selvedge_unsupported("a number of so many digits in scanf");
    found = found * (unsigned long long)base + (unsigned long long)digit(text[i]);
    i++;
    digits++;
  }
  *value = negative ? -found : found;
  return digits > 0 ? i : 0;
}

/* Behind a set of characters in brackets, which starts at `set`. */
static const char *end_of_set(const char *set)
{
  if (*set == '^')
    set++;
  if (*set == ']')
    set++;
  while (*set && *set != ']')
    set++;
  return *set ? set + 1 : set;
}

static _Bool is_in_set(char c, const char *set)
{
  _Bool inside = 1;
  const char *end = end_of_set(set) - 1;
  if (*set == '^') {
    inside = 0;
    set++;
  }
  for (; set < end; set++) {
    if (set[1] == '-' && set + 2 < end) {
      if ((unsigned char)c >= (unsigned char)*set && (unsigned char)c <= (unsigned char)set[2])
        return inside;
      set += 2;
    } else if (c == *set) {
      return inside;
    }
  }
  return !inside;
}

/* How many characters of the text a string conversion takes. */
static int scan_length(const char *text, int letter, int width, const char *set)
{
  int length = 0;
  while (length < width && text[length]) {
    if (letter == 's' && is_space(text[length]))
      return length;
    if (letter == '[' && !is_in_set(text[length], set))
      return length;
    length++;
  }
  return letter == 'c' && length < width ? 0 : length;
}

static void store_text(char *to, const char *text, int length, _Bool ends)
{
  for (int i = 0; i < length; i++)
    to[i] = text[i];
  if (ends)
    to[length] = 0;
}

int __selvedge_scan(const char *text, const char *format, __builtin_va_list list)
{
  const char *start = text;
  int assigned = 0;
  while (*format) {
    if (is_space(*format)) {
      while (is_space(*text))
        text++;
      format++;
      continue;
    }
    if (*format != '%' || format[1] == '%') {
      if (*format == '%') {
        while (is_space(*text))
          text++;
        format++;
      }
      if (*text != *format)
        return *text || assigned ? assigned : -1;
      text++;
      format++;
      continue;
    }
    format++;
    _Bool kept = *format != '*';
    if (!kept)
      format++;
    int width = 0;
    while (*format >= '0' && *format <= '9') {
      width = width * 10 + (*format - '0');
      format++;
    }
    int length = __selvedge_read_length(&format);
    char letter = *format;
    if (letter)
      format++;
    const char *set = format;
    if (letter == '[')
      format = end_of_set(format);
    if (letter == 'n') {
      if (kept)
        store_number(__builtin_va_arg(list, void *), length, (unsigned long long)(text - start));
      continue;
    }
    if (letter != 'c' && letter != '[')
      while (is_space(*text))
        text++;
    if (!*text)
      return assigned ? assigned : -1;
    int taken;
    if (letter == 'd' || letter == 'i' || letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
      unsigned long long value;
      taken = scan_number(text, letter, width ? width : 2147483647, &value);
      if (taken == 0)
        return assigned;
      if (kept)
        store_number(__builtin_va_arg(list, void *), length, value);
    } else if ((letter == 's' || letter == 'c' || letter == '[') && length == 0) {
      taken = scan_length(text, letter, width ? width : letter == 'c' ? 1 : 2147483647, set);
      if (taken == 0)
        return assigned;
      if (kept)
        store_text(__builtin_va_arg(list, char *), text, taken, letter != 'c');
    } else {
      __selvedge_unsupported("a conversion of this kind in a format of scanf");
      return assigned;
    }
    text += taken;
    if (kept)
      assigned++;
  }
  return assigned;
}

static void store_any_text(char *to, int width, _Bool ends)
{
  int i = 0;
  for (; i < width && (i == 0 || !ends || __VERIFIER_nondet_bool()); i++) {
    char c = __VERIFIER_nondet_char();
    __VERIFIER_assume(!ends || c != 0);
    to[i] = c;
  }
  if (ends)
    to[i] = 0;
}

static void store_any_number(void *to, int length)
{
  if (length == -2)
    *(signed char *)to = __VERIFIER_nondet_char();
  else if (length == -1)
    *(short *)to = __VERIFIER_nondet_short();
  else if (length == 0)
    *(int *)to = __VERIFIER_nondet_int();
  else if (length == 2)
    *(long long *)to = __VERIFIER_nondet_longlong();
  else
    *(long *)to = __VERIFIER_nondet_long();
}

/* What is read from a file: any values, up to any conversion of the format. */
int __selvedge_scan_any(const char *format, __builtin_va_list list)
{
  int assigned = 0;
  while (*format) {
    if (*format != '%') {
      format++;
      continue;
    }
    format++;
    if (*format == '%') {
      format++;
      continue;
    }
    _Bool kept = *format != '*';
    if (!kept)
      format++;
    int width = 0;
    while (*format >= '0' && *format <= '9') {
      width = width * 10 + (*format - '0');
      format++;
    }
    int length = __selvedge_read_length(&format);
    char letter = *format;
    if (letter)
      format++;
    if (letter == '[')
      format = end_of_set(format);
    if (!kept)
      continue;
    if (letter != 'n' && __VERIFIER_nondet_bool())
      return assigned == 0 && __VERIFIER_nondet_bool() ? -1 : assigned;
    if (letter == 'n') {
      store_any_number(__builtin_va_arg(list, void *), length);
    } else if (letter == 'd' || letter == 'i' || letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
      store_any_number(__builtin_va_arg(list, void *), length);
      assigned++;
    } else if ((letter == 's' || letter == 'c' || letter == '[') && length == 0) {
      store_any_text(__builtin_va_arg(list, char *), width ? width : letter == 'c' ? 1 : 2147483647, letter != 'c');
      assigned++;
    } else {
      __selvedge_unsupported("a conversion of this kind in a format of scanf");
    }
  }
  return assigned;
}
