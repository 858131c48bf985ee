// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: a copy of a union has all its bytes, not only those of a bit-field of a wide type
#include <assert.h>
#include <string.h>
union mixed {
  int bit : 1;
  long long few : 10;
  int number;
};
static union mixed first = { 0 };
static union mixed made(int number) {
  union mixed back = { .number = number };
  return back;
}
int main(void) {
  {
    union mixed copy = first;
    memcpy(&first, &copy, sizeof copy);
  }
  assert(first.number == 0);
  union mixed other = made(70000);
  assert(other.number == 70000);
}
