// truth: rejected
// property: assert
// error: f
// why: the two declarations do not agree
int f(int);
int f(char *, int); // ERROR
int main(void) { return 0; }
