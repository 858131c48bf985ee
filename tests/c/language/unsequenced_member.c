// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the same member, not another one
static struct { int a, b; } s;
int main(void) { int r = s.a++ + s.b; r = s.a + s.a++; // FAILS
 return r; }
