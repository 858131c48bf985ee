// truth: safe
// property: deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: both threads take the locks in one order
class OrderedLocks {
  static final Object a = new Object();
  static final Object b = new Object();
  static int count;

  static void both() {
    synchronized (a) {
      synchronized (b) {
        count++;
      }
    }
  }

  public static void main(String[] args) {
    new Thread(() -> both()).start();
    both();
  }
}
