// truth: safe
// property: assert,race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a consumer waits in a loop for a value that a producer gives
class WaitLoop {
  private boolean full;
  private int value;

  synchronized void put(int given) {
    value = given;
    full = true;
    notify();
  }

  synchronized int take() throws InterruptedException {
    while (!full) wait();
    return value;
  }

  public static void main(String[] args) throws InterruptedException {
    WaitLoop cell = new WaitLoop();
    Thread producer = new Thread(() -> cell.put(7));
    producer.start();
    assert cell.take() == 7;
    producer.join();
  }
}
