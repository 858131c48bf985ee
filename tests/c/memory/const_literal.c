// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a compound literal of a const type
int main(void) { int *p = (int *)&(const int){4}; *p = 1; // FAILS
 return 0; }
