static int count;
int shared = 1;
int next(void) {
  shared = 2;
  return ++count;
}
