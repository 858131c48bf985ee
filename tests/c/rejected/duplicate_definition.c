// truth: rejected
// property: assert
// error: f
// why: one name, two bodies
int f(void) { return 1; }
int f(void) { return 2; } // ERROR
int main(void) { return f(); }
