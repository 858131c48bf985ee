// truth: rejected
// property: assert
// error: nowhere
// why: the label does not exist
int main(void) {
  goto nowhere; // ERROR
}
