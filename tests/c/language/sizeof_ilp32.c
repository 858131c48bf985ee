// truth: safe
// property: assert
// model: ilp32
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: alignment of long long inside a struct is four in ILP32
extern void reach_error(void);
struct s { char c; long long l; };
int main(void) {
  if (sizeof(struct s) != 12 || __builtin_offsetof(struct s, l) != 4)
    reach_error();
  return 0;
}
