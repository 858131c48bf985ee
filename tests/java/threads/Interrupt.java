// truth: safe
// property: assert,deadlock,exception
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: an interrupt ends a wait with an exception
class Interrupt {
  static final Object lock = new Object();

  public static void main(String[] args) throws InterruptedException {
    Thread sleeper = new Thread(() -> {
      synchronized (lock) {
        try {
          while (true) lock.wait();
        } catch (InterruptedException expected) {
          return;
        }
      }
    });
    sleeper.start();
    sleeper.interrupt();
    sleeper.join();
  }
}
