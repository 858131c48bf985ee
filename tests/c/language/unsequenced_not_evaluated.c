// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: the places that are evaluated differ
struct pair {
  int a, b;
} s;
int g = 1, h;
int main(void) {
  int *p = &g, *q = &h;
  struct pair *left = &s, *right = &s;
  int sum = (g || *p) + (*q = 2) + (0 && (*p = 3));
  sum += (left->a = 2, 1) * ((*right).b || 1);
  return sum;
}
