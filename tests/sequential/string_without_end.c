// truth: unsafe
// property: memory
// back end: unwind=8 wrong
// why: there is no zero behind the last character
char s[4] = {'a', 'b', 'c', 'd'};
int main(void) {
  int i = 0;
  while (s[i]) // FAILS
    i++;
  return 0;
}
