// truth: safe
// property: overflow
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: chars are added as ints, and the conversion back is no overflow
int main(void) {
  signed char c = 127;
  c++;
  c = c + c;
  short s = 32767;
  s += 1;
  return c + s;
}
