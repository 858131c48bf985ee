// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: delimiters may follow each other and differ from call to call
#include <assert.h>
#include <string.h>
int main(void) {
  char text[] = "a,b;;c", other[] = " x ";
  char *rest;
  assert(strcmp(strtok(text, ",;"), "a") == 0);
  assert(strcmp(strtok(0, ",;"), "b") == 0);
  assert(strcmp(strtok_r(other, " ", &rest), "x") == 0);
  assert(strcmp(strtok(0, ";"), "c") == 0);
  assert(!strtok(0, ";"));
}
