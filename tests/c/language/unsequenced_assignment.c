// truth: unsafe
// property: assert
// why: two writes to i in no order
int main(void) { int i = 0; i = i++ + 1; // FAILS
 return 0; }
