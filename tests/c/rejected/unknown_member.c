// truth: rejected
// property: assert
// error: z
// why: the struct has no such member
struct s { int a; } s;
int main(void) {
  return s.z; // ERROR
}
