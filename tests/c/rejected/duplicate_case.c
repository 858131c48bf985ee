// truth: rejected
// property: assert
// error: case
// why: a switch has each value once
int main(void) {
  switch (1) {
  case 1:
    return 0;
  case 1: // ERROR
    return 1;
  }
}
