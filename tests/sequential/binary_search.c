// truth: safe
// property: memory
// back end: unwind=2 bounded; invariants
// why: the middle lies between the ends
extern int __VERIFIER_nondet_int(void);

int a[64];
int main(void) {
  int key = __VERIFIER_nondet_int();
  int low = 0, high = 63;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (a[middle] == key)
      return 0;
    if (a[middle] < key)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return 0;
}
