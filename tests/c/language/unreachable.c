// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: undefined behaviour is a violation whatever is asked for
int main(int argc, char **argv) { if (argc > 3) __builtin_unreachable(); // FAILS
 return 0; }
