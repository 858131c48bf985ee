// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: what looks alike and is defined
#include <assert.h>
static int id(int a) { return a; }
struct n { struct n *next; int v; };
int main(void) {
  int i = 0, j = 0; int a[4] = {1, 2, 3, 4}; char b[4], *d = b; const char *s = "abc";
  i = i + 1; a[i] = a[i + 1]; i = id(i++); assert(i == 1);
  while ((*d++ = *s++)) ; assert(b[2] == 'c');
  i = (j++, j + 1); assert(i == 2);
  a[i] += a[j]; i += j++; j = i++ + j; 
  i && i++; i = i ? i + 1 : i;
  struct n x = {0, 1}, y = {&x, 2}; struct n *p = &y; p = p->next = &x; assert(p == &x);
  int k = a[0]++ + a[1]++; k = (a[2] = k) + a[1]; d = b; *d = id(b[1]) + *d;
  for (int q = 0, r = 3; q < r; q++, r--) { int t = a[q]; a[q] = a[r]; a[r] = t; }
  return k;
}
