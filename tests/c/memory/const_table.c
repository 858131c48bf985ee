// truth: unsafe
// property: memory
// engines: explore=unknown(input_too_large) contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: nor any place of a large one
static const int t[100] = {1, 2, 3};
int main(int argc, char **argv) { int *p = (int *)t; if (argc > 99) return 0; p[argc] = 1; // FAILS
 return 0; }
