// truth: safe
// property: assert,deadlock,exception
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a lock counts how often its thread has it
import java.util.concurrent.locks.ReentrantLock;

class LocksTwice {
  static final ReentrantLock lock = new ReentrantLock();
  static int inside;

  static void enter() {
    lock.lock();
    lock.lock();
    lock.unlock();
    inside++;
    assert inside == 1;
    inside--;
    lock.unlock();
  }

  public static void main(String[] args) {
    new Thread(() -> enter()).start();
    enter();
  }
}
