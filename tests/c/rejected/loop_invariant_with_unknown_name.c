// truth: rejected
// property: assert
// error: `n` is not declared
// why: an invariant speaks of what is in scope at its loop
int main(void) {
  int i = 0;
  /*@ loop invariant i <= n; */ // ERROR
  while (i < 3)
    i++;
  return 0;
}
