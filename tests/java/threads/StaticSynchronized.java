// truth: safe
// property: assert,race
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a static method's monitor is its class
class StaticSynchronized {
  static int count;

  static synchronized void increment() {
    count++;
  }

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> increment());
    other.start();
    synchronized (StaticSynchronized.class) {
      count++;
    }
    other.join();
    assert count == 2;
  }
}
