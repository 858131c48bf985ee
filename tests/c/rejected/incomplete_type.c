// truth: rejected
// property: assert
// error: incomplete
// why: the size of the struct is not known
struct s;
int main(void) {
  struct s x; // ERROR
  return 0;
}
