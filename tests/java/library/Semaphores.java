// truth: safe
// property: assert,race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: one permit lets one thread in
import java.util.concurrent.Semaphore;

class Semaphores {
  static final Semaphore permits = new Semaphore(1);
  static int inside;

  static void enter() {
    permits.acquireUninterruptibly();
    inside++;
    assert inside == 1;
    inside--;
    permits.release();
  }

  public static void main(String[] args) {
    new Thread(() -> enter()).start();
    enter();
  }
}
