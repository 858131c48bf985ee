// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: nor a local one
int main(void) { const int x = 5; int y = 1; int *p = y ? (int *)&x : &y; *p = 2; // FAILS
 return x; }
