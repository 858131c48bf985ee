// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: an access to a bit-field stays within its union
union __attribute__((packed)) u { unsigned a : 20; };
union u v[2];
int main(void) {
  v[1].a = 1;
  v[1].a++;
  return sizeof(v) - 6;
}
