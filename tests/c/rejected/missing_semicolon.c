// truth: rejected
// property: assert
// error: expected
// why: a declaration ends with a semicolon
int main(void) {
  int x = 1 // ERROR
  return x;
}
