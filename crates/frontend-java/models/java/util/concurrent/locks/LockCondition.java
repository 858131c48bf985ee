package java.util.concurrent.locks;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import selvedge.Intrinsics;

/** A condition of a lock; those who wait stand in the list of this object. */
final class LockCondition implements Condition {
  private final ReentrantLock lock;

  LockCondition(ReentrantLock lock) {
    this.lock = lock;
  }

  @Override
  public void await() throws InterruptedException {
    Thread.answerInterrupt();
    awaitUninterruptibly();
    Thread.answerInterrupt();
  }

  @Override
  public void awaitUninterruptibly() {
    lock.mustHold();
    int count = lock.forget();
    if (!Intrinsics.checks("deadlock") || Intrinsics.anyBoolean()) {
      lock.release();
    } else {
      Intrinsics.atomicBegin();
      Waiting.enter(this);
      lock.release();
      Intrinsics.atomicEnd();
      Waiting.await(this);
    }
    lock.takeBack(count);
  }

  /** Whether somebody woke the thread before the time was over. */
  private boolean awaitSome() throws InterruptedException {
    Thread.answerInterrupt();
    lock.mustHold();
    int count = lock.forget();
    boolean woken = false;
    if (!Intrinsics.checks("deadlock")) {
      lock.release();
      woken = Intrinsics.anyBoolean();
    } else {
      Intrinsics.atomicBegin();
      Waiting.enter(this);
      lock.release();
      Intrinsics.atomicEnd();
      woken = Waiting.leave(this) || Intrinsics.anyBoolean();
    }
    lock.takeBack(count);
    Thread.answerInterrupt();
    return woken;
  }

  @Override
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    return awaitSome();
  }

  @Override
  public long awaitNanos(long time) throws InterruptedException {
    boolean woken = awaitSome();
    long left = Intrinsics.anyLong();
    Intrinsics.assume(woken ? left > 0L && left <= time : left <= 0L);
    return left;
  }

  @Override
  public boolean awaitUntil(Date deadline) throws InterruptedException {
    return awaitSome();
  }

  @Override
  public void signal() {
    lock.mustHold();
    Waiting.wakeOne(this);
  }

  @Override
  public void signalAll() {
    lock.mustHold();
    Waiting.wakeAll(this);
  }
}
