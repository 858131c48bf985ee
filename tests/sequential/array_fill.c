// truth: safe
// property: memory
// back end: unwind=1 bounded; invariants
// why: all indices are in bounds
int a[1000];
int main(void) {
  for (int i = 0; i < 1000; i++)
    a[i] = i;
  return 0;
}
