// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: the notification comes before anybody waits, and nobody looks whether it did
class LostNotification {
  static final Object lock = new Object();

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> {
      synchronized (lock) {
        lock.notify();
      }
    });
    other.start();
    synchronized (lock) {
      lock.wait();  // FAILS
    }
  }
}
