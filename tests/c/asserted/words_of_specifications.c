// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a clause that only `contracts` could check is not passed over in silence
int x;
int main(void) {
  //@ assert \alive(&x);
  return 0;
}
