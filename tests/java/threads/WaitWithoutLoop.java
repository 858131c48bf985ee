// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: wait may return without a notification
class WaitWithoutLoop {
  private boolean full;

  synchronized void put() {
    full = true;
    notify();
  }

  synchronized void take() throws InterruptedException {
    if (!full) wait();
    assert full;  // FAILS
  }

  public static void main(String[] args) throws InterruptedException {
    WaitWithoutLoop cell = new WaitWithoutLoop();
    Thread producer = new Thread(() -> cell.put());
    producer.start();
    cell.take();
  }
}
