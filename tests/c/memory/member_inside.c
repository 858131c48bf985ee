// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: up to the end of an array, and past short ones at the end of a record
#include <stdlib.h>
struct S { int n; int a[3]; int b[2][2]; char tail[1]; };
struct F { int n; int d[]; };
int main(void) {
  struct S *s = malloc(sizeof *s + 10);
  for (int i = 0; i < 3; i++) s->a[i] = i;
  for (int *p = s->a; p != &s->a[3]; p++) *p = 1;
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s->b[i][j] = 1;
  for (int i = 0; i < 10; i++) s->tail[i] = 1;
  struct F *f = malloc(sizeof *f + 4 * sizeof(int));
  for (int i = 0; i < 4; i++) f->d[i] = 1;
  free(s); free(f);
  return 0; }
