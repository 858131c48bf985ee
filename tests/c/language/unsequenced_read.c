// truth: unsafe
// property: assert
// why: x is read and written in no order
static int x;
int main(void) { int r = x + x++; // FAILS
 return r; }
