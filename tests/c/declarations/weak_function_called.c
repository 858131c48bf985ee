// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unknown(unsupported) horn=unsafe cover=unknown(unsupported)
// why: a call of a weak function that is defined nowhere is one through null
extern void function(void) __attribute__((weak));
int main(void) {
  function();  // FAILS
  return 0;
}
