// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: the call cannot be reached
extern void __VERIFIER_error(void);
int x;
int main(void) {
  if (x)
    __VERIFIER_error();
}
