// truth: rejected
// property: assert
// error: cannot be called
// why: an integer cannot be called
int main(void) {
  int x = 3;
  return x(); // ERROR
}
