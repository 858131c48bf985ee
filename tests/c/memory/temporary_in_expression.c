// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a result lives to the end of the whole expression
struct S { int a[2]; };
static struct S f(int k) { struct S s = {{k, 2}}; return s; }
static int g(struct S s, int *p) { p[0] = 7; return s.a[0]; }
int main(void) {
  int n = 0;
  for (int i = 0; i < 2; i++) {
    n += f(i).a[0] + f(3).a[1];
    if (f(1).a[0] != 1) *(int *)0 = 1;
    while (f(i).a[0] > 5) n++;
  }
  struct S t = f(9);
  int r = g(t, t.a);
  if (r != 9 || t.a[0] != 7) *(int *)0 = 1;
  return n;
}
