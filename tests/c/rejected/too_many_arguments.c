// truth: rejected
// property: assert
// error: argument
// why: the function takes one argument
static int f(int a) { return a; }
int main(void) {
  return f(1, 2); // ERROR
}
