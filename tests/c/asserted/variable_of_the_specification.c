// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the variable is one that only `contracts` follows, so the claim is not passed over in silence
/*@ ghost int steps = 0; */
int x;
int main(void) {
  //@ ghost steps = steps + 1;
  x = 1;
  //@ assert steps == 1;
  return 0;
}
