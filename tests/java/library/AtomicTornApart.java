// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a get and a set are two actions
import java.util.concurrent.atomic.AtomicInteger;

class AtomicTornApart {
  static final AtomicInteger count = new AtomicInteger();

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> count.set(count.get() + 1));
    other.start();
    count.set(count.get() + 1);
    other.join();
    assert count.get() == 2;  // FAILS
  }
}
