// truth: rejected
// property: assert
// error: s
// why: a struct is no number
struct s { int a; } s;
int main(void) {
  int x = s; // ERROR
  return x;
}
