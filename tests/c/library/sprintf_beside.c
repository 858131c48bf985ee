// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a string of four characters is printed right behind them
#include <stdio.h>
int main(void) {
  char text[12] = "abcdefgh";
  sprintf(text + 4, "%.4s", text);
  return text[7];
}
