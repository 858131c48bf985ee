// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: every integer type has the size and signedness of LP64
#include <assert.h>
int main(void) {
  assert(sizeof(char) == 1 && sizeof(short) == 2 && sizeof(int) == 4);
  assert(sizeof(long) == 8 && sizeof(long long) == 8 && sizeof(void *) == 8);
  assert(sizeof(_Bool) == 1);
  assert((char)200 == -56 && (unsigned char)200 == 200 && (signed char)200 == -56);
  assert((short)70000 == 4464 && (unsigned short)70000 == 4464);
  assert((int)4294967295u == -1 && (unsigned)-1 == 4294967295u);
  assert((long)-1 < 0 && (unsigned long)-1 == 18446744073709551615ul);
  assert((_Bool)256 == 1);
}
