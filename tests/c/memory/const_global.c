// truth: unsafe
// property: memory
// why: a const object must not be written
static const int limit = 5;
int main(void) { *(int *)&limit = 6; // FAILS
 return 0; }
