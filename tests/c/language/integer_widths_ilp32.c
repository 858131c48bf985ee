// truth: safe
// property: assert
// model: ilp32
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: long and pointers have 32 bits in ILP32, long long has 64
extern void reach_error(void);
int main(void) {
  if (sizeof(long) != 4 || sizeof(void *) != 4 || sizeof(long long) != 8)
    reach_error();
  long x = 2147483647;
  unsigned long y = x;
  if (y + y + 2 != 0)
    reach_error();
  return 0;
}
