// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unknown(bound) tar=unsafe horn=unsafe cover=unsafe
// why: read writes as many bytes as it may
#include <unistd.h>
int main(void) {
  char b[4];
  read(0, b, 8); // FAILS
}
