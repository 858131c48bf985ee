// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: nor by a function that also gets arrays
static void up(char *s) { for (; *s; s++) *s -= 32; } // FAILS
int main(void) { char b[] = "abc"; up(b); up("x"); return 0; }
