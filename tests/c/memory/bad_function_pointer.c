// truth: unsafe
// property: memory
// engines: explore=unsafe
// why: null is called
static int (*f)(void);
int main(void) {
  return f(); // FAILS
}
