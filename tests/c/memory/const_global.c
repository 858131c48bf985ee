// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a const object must not be written
static const int limit = 5;
int main(void) { *(int *)&limit = 6; // FAILS
 return 0; }
