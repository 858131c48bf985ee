// truth: rejected
// property: assert
// error: never closed
// why: the string has no closing quote
int main(void) {
  const char *s = "abc; // ERROR
  return 0;
}
