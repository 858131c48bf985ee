// truth: unsafe
// property: assert
// why: the same member, not another one
static struct { int a, b; } s;
int main(void) { int r = s.a++ + s.b; r = s.a + s.a++; // FAILS
 return r; }
