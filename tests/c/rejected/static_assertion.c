// truth: rejected
// property: assert
// error: too small
// why: the asserted condition is false
_Static_assert(sizeof(int) == 8, "too small"); // ERROR
int main(void) { return 0; }
