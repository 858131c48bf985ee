// truth: safe
// property: assert
// why: a clause that only `contracts` could check is not passed over in silence
int x;
int main(void) {
  //@ assert \alive(&x);
  return 0;
}
