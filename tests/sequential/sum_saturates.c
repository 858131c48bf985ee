// truth: safe
// property: overflow
// back end: unwind=2 bounded; invariants
// why: the sum is kept below a limit
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int sum = 0;
  while (__VERIFIER_nondet_int()) {
    if (sum < 1000000)
      sum = sum + 100;
  }
  return 0;
}
