// truth: safe
// property: assert,race,deadlock,exception
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a synchronized method excludes
class SynchronizedCounter {
  private int count;

  synchronized void increment() {
    count++;
  }

  public static void main(String[] args) throws InterruptedException {
    SynchronizedCounter counter = new SynchronizedCounter();
    Thread other = new Thread(counter::increment);
    other.start();
    counter.increment();
    other.join();
    assert counter.count == 2;
  }
}
