// truth: rejected
// property: assert
// error: expected a loop after the loop invariant
// why: an invariant belongs to the loop behind it
int main(void) {
  int i = 0;
  /*@ loop invariant i >= 0; */
  i = 2; // ERROR
  while (i < 3)
    i++;
  return 0;
}
