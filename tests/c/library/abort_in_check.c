// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a check of the user's own fails by abort
#include <stdlib.h>
static void check(int condition) {
  if (!condition)
    abort(); // FAILS
}
int main(int argc, char **argv) { check(argc < 3); }
