// truth: safe
// property: assert,exception,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(property) horn=unknown(work) cover=unknown(work)
// why: an exception that leaves a synchronized method leaves its monitor
class MonitorIsLeft {
  private int count;

  synchronized void fails() {
    count++;
    throw new RuntimeException();
  }

  public static void main(String[] args) throws InterruptedException {
    final MonitorIsLeft shared = new MonitorIsLeft();
    boolean caught = false;
    Thread other = new Thread(() -> {
      synchronized (shared) {
        shared.count++;
      }
    });
    other.start();
    try {
      shared.fails();
    } catch (RuntimeException expected) {
      caught = true;
    }
    other.join();
    assert caught;
  }
}
