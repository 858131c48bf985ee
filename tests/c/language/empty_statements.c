// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: stray semicolons mean nothing
#include <assert.h>
;
struct s { int a;; };
int main(void) {
  ;;
  if (1)
    ;
  else
    assert(0);
}
