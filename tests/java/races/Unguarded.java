// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: nothing orders the two writes
class Unguarded {
  static int x;

  public static void main(String[] args) {
    new Thread(() -> {
      x = 1;  // FAILS
    }).start();
    x = 2;  // FAILS
  }
}
