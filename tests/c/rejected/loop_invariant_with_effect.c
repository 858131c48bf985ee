// truth: rejected
// property: assert
// error: a loop invariant changes a variable
// why: an invariant is only read
int main(void) {
  int i = 0;
  /*@ loop assigns i; loop invariant i++ >= 0; */ // ERROR
  while (i < 3)
    i++;
  return 0;
}
