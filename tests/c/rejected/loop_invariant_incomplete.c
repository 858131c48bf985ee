// truth: rejected
// property: assert
// error: expected an expression
// why: the comparison lacks its right side
int main(void) {
  int i = 0;
  //@ loop invariant i <= ; // ERROR
  while (i < 3)
    i++;
  return 0;
}
