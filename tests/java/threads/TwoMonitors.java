// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: two objects are two monitors
class TwoMonitors {
  static int count;

  static void increment(Object lock) {
    synchronized (lock) {
      count++;  // FAILS
    }
  }

  public static void main(String[] args) throws InterruptedException {
    Object mine = new Object();
    Object yours = new Object();
    Thread other = new Thread(() -> increment(yours));
    other.start();
    increment(mine);
    other.join();
  }
}
