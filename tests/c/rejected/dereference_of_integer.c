// truth: rejected
// property: assert
// error: cannot be dereferenced
// why: an integer points nowhere
int main(void) {
  int x = 3;
  return *x; // ERROR
}
