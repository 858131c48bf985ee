// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a jump inside a block does not end its objects
int main(void) {
  {
    int *p = 0;
  again:;
    int x = 1;
    if (p) { *p = 2; if (x != 2) *(int *)0 = 1; }
    else { p = &x; goto again; }
  }
  return 0;
}
