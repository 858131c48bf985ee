// truth: unsafe
// property: exception
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: a divisor may be zero after a race for it
class DivisionByZero {
  static volatile int divisor = 1;

  public static void main(String[] args) {
    new Thread(() -> divisor = 0).start();
    int quotient = 10 / divisor;  // FAILS
  }
}
