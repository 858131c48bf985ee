// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: strings are searched and taken apart
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <strings.h>
int main(void) {
  char text[] = "a,b;c", *rest = text;
  assert(strcmp(strtok(text, ",;"), "a") == 0);
  assert(strcmp(strtok(0, ",;"), "b") == 0);
  assert(strcmp(strtok(0, ",;"), "c") == 0 && !strtok(0, ",;"));
  assert(strcmp(strsep(&rest, ","), "a") == 0);
  assert(strspn("aab", "a") == 2 && strcspn("xyz", "z") == 2);
  assert(strpbrk("hello", "ol")[0] == 'l' && strcmp(strstr("hello", "lo"), "lo") == 0);
  assert(strcasecmp("A", "a") == 0 && strncasecmp("ABx", "aby", 2) == 0);
  assert(*strchrnul("abc", 'x') == 0 && memmem("abcd", 4, "cd", 2));
  assert(ffs(8) == 4 && ffs(0) == 0 && ffsl(1L << 20) == 21);
}
