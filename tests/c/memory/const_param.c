// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: a pointer to const may point to what may be written
static void set(const int *p) { *(int *)p = 3; }
int main(void) { int x = 1; const int *p = &x; *(int *)p = 2; set(&x); if (x != 3) *(int *)0 = 1; return 0; }
