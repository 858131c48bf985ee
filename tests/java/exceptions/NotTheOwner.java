// truth: unsafe
// property: exception
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: notify needs the monitor
class NotTheOwner {
  public static void main(String[] args) {
    new Object().notify();  // FAILS
  }
}
