// truth: rejected
// property: assert
// error: this clause has no `;` at its end
// why: where a predicate ends is not known
int x;
/*@ predicate x > 0 */ // ERROR
int main(void) {
  return 0;
}
