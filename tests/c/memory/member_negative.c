// truth: unsafe
// property: memory
// engines: explore=unknown(input_too_large) contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an index below the array, inside the object
static struct { int n; int a[4]; } s;
int main(int argc, char **argv) { int j = -argc; if (j < -1) return 0; s.a[j] = 1; // FAILS
 return 0; }
