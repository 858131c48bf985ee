// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: case labels inside nested blocks enter them
static void set(int *p) { *p = 5; }
int main(int argc, char **argv) {
  int n = 0;
  switch (argc) {
    int a;
    case 0: a = 0; set(&a);
    { int b; case 1: set(&b); n += b; { int c; default: set(&c); n += c; } }
    set(&a); n += a;
  }
  if (n < 10) *(int *)0 = 1;
  return 0;
}
