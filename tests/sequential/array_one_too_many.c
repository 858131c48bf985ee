// truth: unsafe
// property: memory
// back end: unwind=8 wrong
// why: the last index is beyond the end
int a[100];
int main(void) {
  for (int i = 0; i <= 100; i++)
    a[i] = i; // FAILS
  return 0;
}
