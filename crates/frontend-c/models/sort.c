/* Sorting and searching with the user's comparison. Sorting is stable, as glibc's was for most of its
   life; the order in which elements are compared is one of those that C allows. */

void __selvedge_exchange(void *a, void *b, unsigned long size)
{
  unsigned char *p = a;
  unsigned char *q = b;
  for (unsigned long i = 0; i < size; i++) {
    unsigned char kept = p[i];
    p[i] = q[i];
    q[i] = kept;
  }
}

__attribute__((selvedge_element(1)))
void qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
  char *first = base;
  for (unsigned long i = 1; i < count; i++)
    for (unsigned long j = i; j > 0 && compare(first + (j - 1) * size, first + j * size) > 0; j--)
      __selvedge_exchange(first + (j - 1) * size, first + j * size, size);
}

__attribute__((selvedge_element(1)))
void qsort_r(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *, void *), void *with)
{
  char *first = base;
  for (unsigned long i = 1; i < count; i++)
    for (unsigned long j = i; j > 0 && compare(first + (j - 1) * size, first + j * size, with) > 0; j--)
      __selvedge_exchange(first + (j - 1) * size, first + j * size, size);
}

void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *))
{
  const char *first = base;
  unsigned long low = 0;
  while (low < count) {
    unsigned long middle = low + (count - low) / 2;
    int order = compare(key, first + middle * size);
    if (order == 0)
      return (void *)(first + middle * size);
    if (order < 0)
      count = middle;
    else
      low = middle + 1;
  }
  return 0;
}
