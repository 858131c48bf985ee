// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the pointers may be equal
static int f(int *p, int *q) { return *p + (*q)++; // FAILS
}
int main(void) { int a = 1, b = 2; f(&a, &b); return f(&a, &a); }
