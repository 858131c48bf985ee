// truth: safe
// property: assert,race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a thread enters a monitor again that it holds, and leaves it only at the end
class ReentrantMonitor {
  private int count;

  synchronized void twice() {
    once();
    once();
  }

  synchronized void once() {
    count++;
  }

  public static void main(String[] args) throws InterruptedException {
    ReentrantMonitor shared = new ReentrantMonitor();
    Thread other = new Thread(() -> shared.twice());
    other.start();
    synchronized (shared) {
      assert shared.count != 1;
    }
    other.join();
  }
}
