// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: what glibc's macro calls, called by hand
extern void __assert_fail(const char *, const char *, unsigned, const char *);
int main(void) {
  __assert_fail("no", "file", 1, "main"); // FAILS
}
