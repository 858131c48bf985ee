// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a function that is declared not to return and does is undefined behaviour
static int broken = 1;
__attribute__((noreturn)) static void stop(void) {  // FAILS
  while (!broken)
    ;
}
int main(void) {
  stop();
}
