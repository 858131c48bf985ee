// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: each object calls the other inside of its own monitor
class TwoClasses {
  static class Left {
    Right right;

    synchronized void first() {
      right.last();
    }

    synchronized void last() {} // FAILS
  }

  static class Right {
    Left left;

    synchronized void first() {
      left.last();
    }

    synchronized void last() {} // FAILS
  }

  public static void main(String[] args) {
    Left left = new Left();
    Right right = new Right();
    left.right = right;
    right.left = left;
    new Thread(() -> left.first()).start();
    right.first();
  }
}
