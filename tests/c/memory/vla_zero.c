// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the length of an array is positive, whatever is asked for
int main(int argc, char **argv) { int n = argc - 1; int a[2][n]; // FAILS
 return 0; }
