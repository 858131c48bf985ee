// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: what the function returns is not guessed
#include <assert.h>
#include <langinfo.h>
int main(void) {
  assert(nl_langinfo(CODESET));
}
