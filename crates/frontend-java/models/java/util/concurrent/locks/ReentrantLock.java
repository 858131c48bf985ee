package java.util.concurrent.locks;

import java.util.concurrent.TimeUnit;
import selvedge.Intrinsics;

public class ReentrantLock implements Lock {
  /** Its monitor is the lock. */
  private final Object cell = new Object();
  /** How often it was taken again by the thread that has it. */
  private int again;

  public ReentrantLock() {}

  /** Fair locks are locks: whoever waits long may wait longer. */
  public ReentrantLock(boolean fair) {}

  @Override
  public void lock() {
    if (Intrinsics.holds(cell)) again++;
    else Intrinsics.lock(cell);
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    Thread.answerInterrupt();
    if (Intrinsics.uses("java/lang/Thread", "interrupt"))
      Intrinsics.unsupported("lockInterruptibly together with interrupt");
    lock();
  }

  @Override
  public boolean tryLock() {
    if (Intrinsics.holds(cell)) {
      again++;
      return true;
    }
    return Intrinsics.tryLock(cell);
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    Thread.answerInterrupt();
    return tryLock();
  }

  @Override
  public void unlock() {
    if (!Intrinsics.holds(cell)) throw new IllegalMonitorStateException();
    if (again > 0) again--;
    else Intrinsics.unlock(cell);
  }

  @Override
  public Condition newCondition() {
    return new LockCondition(this);
  }

  public boolean isHeldByCurrentThread() {
    return Intrinsics.holds(cell);
  }

  public boolean isLocked() {
    return Intrinsics.isLocked(cell);
  }

  void mustHold() {
    if (!Intrinsics.holds(cell)) throw new IllegalMonitorStateException();
  }

  /** How often the thread had taken it again, which it no longer has. */
  int forget() {
    int count = again;
    again = 0;
    return count;
  }

  void release() {
    Intrinsics.unlock(cell);
  }

  void takeBack(int count) {
    Intrinsics.lock(cell);
    again = count;
  }
}
