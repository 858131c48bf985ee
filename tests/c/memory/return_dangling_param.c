// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a parameter ends with its call
struct S { int a, b; };
static int *f(struct S s) { return &s.b; }
int main(void) { struct S s = {1, 2}; return *f(s); } // FAILS
