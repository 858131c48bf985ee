// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the least number has no remainder by -1
extern long __VERIFIER_nondet_long(void);
int main(void) { long a = __VERIFIER_nondet_long(), b = __VERIFIER_nondet_long(); if (b == 0) return 0; a %= b; // FAILS
 return 0; }
