// truth: rejected
// property: assert
// error: x
// why: one name, two types
int x;
char *x; // ERROR
int main(void) { return 0; }
