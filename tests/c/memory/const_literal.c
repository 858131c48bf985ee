// truth: unsafe
// property: memory
// why: a compound literal of a const type
int main(void) { int *p = (int *)&(const int){4}; *p = 1; // FAILS
 return 0; }
