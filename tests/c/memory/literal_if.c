// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the statement under an if is a block of its own
int main(int argc, char **argv) {
  int *p = 0;
  if (argc > 0)
    p = &(int){5};
  *p = 3; // FAILS
  return 0;
}
