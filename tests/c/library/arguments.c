// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: an argument of the program can be of any length
#include <string.h>
int main(int argc, char **argv) {
  char b[8];
  if (argc > 1 && !argv[argc])
    strcpy(b, argv[1]); // FAILS
}
