// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: a thread waits for the end of another that waits for its monitor
class JoinInsideMonitor {
  static final Object lock = new Object();
  static int count;

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> {
      synchronized (lock) {  // FAILS
        count++;
      }
    });
    other.start();
    synchronized (lock) {
      other.join();  // FAILS
    }
  }
}
