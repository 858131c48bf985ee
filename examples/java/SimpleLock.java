// A lock that threads take by trying: compare-and-set until it succeeds. It protects `x` from the
// moment at which it is taken until it is given back; after the work, the value is what its owner made
// of it.
//
//     selvedge verify examples/java/SimpleLock.java

import java.util.concurrent.atomic.AtomicBoolean;

class SimpleLock {
  static final AtomicBoolean taken = new AtomicBoolean();
  static int x;

  static void acquire() {
    while (!taken.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
  }

  static void release() {
    taken.set(false);
  }

  static void work() {
    acquire();
    int before = x;
    x++;
    assert x == before + 1;
    release();
  }

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> work());
    other.start();
    work();
    other.join();
    assert x == 2;
  }
}
