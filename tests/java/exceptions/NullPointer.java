// truth: unsafe
// property: exception
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a field of null is read
class NullPointer {
  int value;

  public static void main(String[] args) {
    NullPointer[] cells = new NullPointer[1];
    int value = cells[0].value;  // FAILS
  }
}
