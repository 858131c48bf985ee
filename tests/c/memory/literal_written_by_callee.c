// truth: unsafe
// property: memory
// why: nor by a function that also gets arrays
static void up(char *s) { for (; *s; s++) *s -= 32; } // FAILS
int main(void) { char b[] = "abc"; up(b); up("x"); return 0; }
