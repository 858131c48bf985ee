// truth: safe
// property: assert,race
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: read-modify-writes are atomic
import java.util.concurrent.atomic.AtomicInteger;

class Atomics {
  static final AtomicInteger count = new AtomicInteger();

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> count.incrementAndGet());
    other.start();
    count.incrementAndGet();
    other.join();
    assert count.get() == 2;
    assert count.compareAndSet(2, 5) && !count.compareAndSet(2, 6);
  }
}
