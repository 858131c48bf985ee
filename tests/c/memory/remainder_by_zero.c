// truth: unsafe
// property: memory
// engines: explore=unsafe
// why: the divisor is zero
unsigned zero;
int main(void) {
  return 7u % zero; // FAILS
}
