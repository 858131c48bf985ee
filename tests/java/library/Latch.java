// truth: safe
// property: assert,race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a latch opens when all have counted down
import java.util.concurrent.CountDownLatch;

class Latch {
  static final CountDownLatch done = new CountDownLatch(2);
  static int a;
  static int b;

  public static void main(String[] args) throws InterruptedException {
    new Thread(() -> {
      a = 1;
      done.countDown();
    }).start();
    new Thread(() -> {
      b = 1;
      done.countDown();
    }).start();
    done.await();
    assert a + b == 2;
  }
}
