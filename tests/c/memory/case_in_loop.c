// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=unknown(work)
// why: case labels inside a loop enter its block
static int a[8], b[8];
int main(void) {
  int n = 7, i = 0, k = (n + 3) / 4;
  switch (n % 4) {
    case 0: do { int t; t = a[i]; b[i++] = t;
    case 3: ; int *q = &i; b[*q] = a[*q]; i++;
    case 2: b[i] = a[i]; i++;
    case 1: b[i] = a[i]; i++;
    } while (--k > 0);
  }
  if (i != 7) *(int *)0 = 1;
  return 0;
}
