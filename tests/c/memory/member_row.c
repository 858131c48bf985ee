// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an index past the row, inside the array
static int m[2][3];
int main(int argc, char **argv) { int j = argc + 2; m[0][j] = 1; // FAILS
 return 0; }
