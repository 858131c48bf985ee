// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a literal must not be written, whatever is asked for
int main(void) { "abc"[1] = 'x'; // FAILS
 return 0; }
