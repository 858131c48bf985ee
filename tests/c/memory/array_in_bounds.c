// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the address one past the end may be formed, but is not used
int a[4];
int main(void) {
  for (int *p = a; p != a + 4; p++)
    *p = 0;
  return a[3];
}
