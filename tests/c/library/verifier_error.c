// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: __VERIFIER_error is an error wherever it is called
extern void __VERIFIER_error(void);
int x = 1;
int main(void) {
  if (x)
    __VERIFIER_error(); // FAILS
}
