// truth: rejected
// property: assert
// error: _Generic
// why: no arm has the control's type
int main(void) {
  return _Generic(1.0, int: 1, char: 2); // ERROR
}
