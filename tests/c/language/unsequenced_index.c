// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: i is read and written in no order
int main(void) { int i = 0; int a[2] = {0}; a[i] = i++; // FAILS
 return 0; }
