// truth: safe
// property: assert
// why: what the function returns is not guessed
#include <assert.h>
#include <langinfo.h>
int main(void) {
  assert(nl_langinfo(CODESET));
}
