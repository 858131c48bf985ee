// truth: unsafe
// property: memory
// why: a call of a weak function that is defined nowhere is one through null
extern void function(void) __attribute__((weak));
int main(void) {
  function();  // FAILS
  return 0;
}
