// truth: safe
// property: assert,race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a block on one object excludes
class SynchronizedBlock {
  static final Object lock = new Object();
  static int a;
  static int b;

  static void move() {
    synchronized (lock) {
      a--;
      b++;
    }
  }

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> move());
    other.start();
    synchronized (lock) {
      assert a + b == 0;
    }
    other.join();
  }
}
