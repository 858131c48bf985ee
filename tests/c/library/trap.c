// truth: unsafe
// property: assert
// why: a trap is how a check fails
int main(int argc, char **argv) {
  if (argc == 4)
    __builtin_trap(); // FAILS
}
