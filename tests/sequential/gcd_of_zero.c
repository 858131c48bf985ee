// truth: unsafe
// property: memory
// back end: unwind=2 wrong
// why: the second number may be zero from the start
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  do {
    int r = a % b; // FAILS
    a = b;
    b = r;
  } while (b != 0);
  return 0;
}
