// truth: rejected
// property: assert
// error: @
// why: the character belongs to no token
int main(void) {
  int x = 1 @ 2; // ERROR
  return x;
}
