// truth: rejected
// property: assert
// error: break
// why: there is nothing to break out of
int main(void) {
  break; // ERROR
}
