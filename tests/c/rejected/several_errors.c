// truth: rejected
// property: assert
// error: first
// why: both mistakes are reported
int main(void) {
  int a = first; // ERROR
  int b = second; // ERROR
  return a + b;
}
