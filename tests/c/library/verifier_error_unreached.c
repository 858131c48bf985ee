// truth: safe
// property: assert
// engines: explore=safe
// why: the call cannot be reached
extern void __VERIFIER_error(void);
int x;
int main(void) {
  if (x)
    __VERIFIER_error();
}
