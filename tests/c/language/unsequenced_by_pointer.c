// truth: unsafe
// property: assert
// why: the pointers may be equal
static int f(int *p, int *q) { return *p + (*q)++; // FAILS
}
int main(void) { int a = 1, b = 2; f(&a, &b); return f(&a, &a); }
