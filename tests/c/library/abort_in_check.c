// truth: unsafe
// property: assert
// why: a check of the user's own fails by abort
#include <stdlib.h>
static void check(int condition) {
  if (!condition)
    abort(); // FAILS
}
int main(int argc, char **argv) { check(argc < 3); }
