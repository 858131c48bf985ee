// truth: unsafe
// property: memory
// back end: unwind=1 wrong
// why: a negative index is not excluded
extern int __VERIFIER_nondet_int(void);

int a[8];
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 8)
    a[i] = 1; // FAILS
  return 0;
}
