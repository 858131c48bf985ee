// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: each round has an array of its own length
int main(void) {
  for (int n = 1; n < 4; n++) {
    int a[n][n + 1];
    a[n - 1][n] = 1;
    if (sizeof a != n * (n + 1) * sizeof(int)) *(int *)0 = 1;
  }
  return 0;
}
