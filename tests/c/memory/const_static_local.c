// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a static local that is const
static void set(int *p) { *p = 3; } // FAILS
int main(void) { static const int x = 1; set((int *)&x); return 0; }
