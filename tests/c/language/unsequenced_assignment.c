// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: two writes to i in no order
int main(void) { int i = 0; i = i++ + 1; // FAILS
 return 0; }
