// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a trap is how a check fails
int main(int argc, char **argv) {
  if (argc == 4)
    __builtin_trap(); // FAILS
}
