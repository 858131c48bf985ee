// truth: rejected
// property: assert
// error: pointer
// why: an integer points nowhere
int main(void) {
  int x = 3;
  return *x; // ERROR
}
