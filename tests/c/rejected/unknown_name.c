// truth: rejected
// property: assert
// error: y
// why: the name is declared nowhere
int main(void) {
  return y; // ERROR
}
