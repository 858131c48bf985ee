// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the loop runs one too far
int a[4];
int main(void) {
  for (int i = 0; i <= 4; i++)
    a[i] = i; // FAILS
}
