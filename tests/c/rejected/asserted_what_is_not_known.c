// truth: rejected
// property: assert
// error: calls a function
// why: an assert clause that is not understood is a mistake
int x;
int main(void) {
  //@ assert \valid(&x);
  return 0;
}
