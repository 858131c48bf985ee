// truth: rejected
// property: assert
// error: expected
// why: the file ends inside a function
int main(void) {
  if (1) {
    return 0;
}
