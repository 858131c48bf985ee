// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: nothing happens behind a call that does not return
extern void die(const int *) __attribute__((noreturn));
_Noreturn void stop(void);
int main(void) {
  int *p = 0;
  if (!p)
    stop();
  *p = 1;
  return 0;
}
