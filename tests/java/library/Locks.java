// truth: safe
// property: assert,race,deadlock,exception
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a lock with a condition, as a monitor
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

class Locks {
  static final ReentrantLock lock = new ReentrantLock();
  static final Condition changed = lock.newCondition();
  static boolean full;

  static void put() {
    lock.lock();
    try {
      full = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  public static void main(String[] args) throws InterruptedException {
    new Thread(() -> put()).start();
    lock.lock();
    try {
      while (!full) changed.await();
      assert full;
    } finally {
      lock.unlock();
    }
  }
}
