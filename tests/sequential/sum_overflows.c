// truth: unsafe
// property: overflow
// back end: unwind=4 wrong
// why: the sum of large inputs leaves the type
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int sum = 0;
  while (__VERIFIER_nondet_int()) {
    int x = __VERIFIER_nondet_int();
    sum = sum + x; // FAILS
  }
  return 0;
}
