// truth: rejected
// property: assert
// error: assign
// why: the left side is not a place
int main(void) {
  3 = 4; // ERROR
  return 0;
}
