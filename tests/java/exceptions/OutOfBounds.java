// truth: unsafe
// property: exception
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the last index is one less than the length
class OutOfBounds {
  public static void main(String[] args) {
    int[] cells = new int[3];
    for (int i = 0; i <= cells.length; i++) {
      cells[i] = i;  // FAILS
    }
  }
}
