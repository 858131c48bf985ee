// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: nobody counts down the second time
import java.util.concurrent.CountDownLatch;

class LatchTooFew {
  static final CountDownLatch done = new CountDownLatch(2);

  public static void main(String[] args) throws InterruptedException {
    new Thread(() -> done.countDown()).start();
    done.await();  // FAILS
  }
}
