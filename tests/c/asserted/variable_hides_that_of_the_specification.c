// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the claim is about the local, which `verify` checks
/*@ ghost int steps = 0; */
int main(void) {
  int steps = 2;
  //@ assert steps == 1; // FAILS
  return 0;
}
