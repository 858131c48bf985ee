// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a preprocessed file is taken as it is, and its line markers are followed
# 1 "elsewhere.c"
int x;
extern void reach_error(void);
int main(void) {
  x = 2;
# 11 "preprocessed.i"
  if (x == 2)
    reach_error(); // FAILS
}
