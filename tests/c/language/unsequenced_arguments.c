// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: arguments are in no order
static int f(int a, int b) { return a + b; }
int main(void) { int i = 0; return f(i++, i++); // FAILS
}
