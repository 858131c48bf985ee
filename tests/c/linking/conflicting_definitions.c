// truth: rejected
// property: assert
// with: parts/counter.c
// error: shared
// why: two files define the same variable
int shared = 7;
int main(void) { return shared; }
