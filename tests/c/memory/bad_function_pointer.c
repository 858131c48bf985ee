// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unknown(unsupported) horn=unsafe cover=unknown(unsupported)
// why: null is called
static int (*f)(void);
int main(void) {
  return f(); // FAILS
}
