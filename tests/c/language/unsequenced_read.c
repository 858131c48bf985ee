// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: x is read and written in no order
static int x;
int main(void) { int r = x + x++; // FAILS
 return r; }
