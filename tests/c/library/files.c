// truth: safe
// property: assert,memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: results of system calls are within their contracts
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>
int main(void) {
  int ends[2];
  char b[4];
  assert(write(1, "abc", 3) <= 3);
  if (pipe(ends) == 0) {
    assert(ends[0] >= 0 && ends[0] != ends[1]);
    assert(write(ends[1], "xy", 2) <= 2);
    assert(read(ends[0], b, sizeof b) <= (long)sizeof b);
    close(ends[0]);
  }
  assert(getpid() == getpid() && getpid() > 0 && getuid() == getuid());
  assert(open("no such file", O_RDONLY) >= -1);
}
