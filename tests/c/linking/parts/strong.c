int f(void) { return 2; }
int g = 2;
__attribute__((weak)) int h(void) { return 5; }
