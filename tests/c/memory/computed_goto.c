// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a computed goto enters the block of its label
static void set(int *p) { *p = 5; }
int main(void) {
  void *t[] = {&&a, &&b};
  int n = 0;
  goto *t[n];
  { int x; a: set(&x); if (x != 5) *(int *)0 = 1; n = 1; goto *t[n]; }
b: return 0;
}
