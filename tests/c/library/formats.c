// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(work) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: text is written as the format says
#define _GNU_SOURCE
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static int into(char *to, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(to, size, format, list);
  va_end(list);
  return length;
}
int main(void) {
  char b[32];
  int n;
  assert(sprintf(b, "%05d|%-4d|%+d", -42, 7, 3) == 13);
  assert(strcmp(b, "-0042|7   |+3") == 0);
  assert(snprintf(b, 4, "%s", "abcdef") == 6 && strcmp(b, "abc") == 0);
  assert(snprintf(0, 0, "%x", 255) == 2);
  sprintf(b, "%#x %X %o %hhu", 255, 255, 8, 300);
  assert(strcmp(b, "0xff FF 10 44") == 0);
  sprintf(b, "%c%%%3s|%.2s|%*d", 'q', "z", "hello", 4, 12);
  assert(strcmp(b, "q%  z|he|  12") == 0);
  sprintf(b, "%.2f", 1.5);
  assert(strcmp(b, "1.50") == 0);
  assert(into(b, sizeof b, "%s=%d", "k", 17) == 4 && strcmp(b, "k=17") == 0);
  sprintf(b, "abc%n", &n);
  assert(n == 3);
}
