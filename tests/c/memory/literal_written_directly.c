// truth: unsafe
// property: assert
// why: a literal must not be written, whatever is asked for
int main(void) { "abc"[1] = 'x'; // FAILS
 return 0; }
