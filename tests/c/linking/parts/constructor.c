extern int n;
__attribute__((constructor)) static void start(void) { n = n + n; }
