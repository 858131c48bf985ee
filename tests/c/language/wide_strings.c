// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: wide literals have elements of wchar_t
#include <assert.h>
#include <stddef.h>
int main(void) {
  wchar_t w[] = L"xyz";
  assert(sizeof w == 16 && w[2] == L'z');
  assert(sizeof u"ab" == 6 && sizeof U"ab" == 12);
}
