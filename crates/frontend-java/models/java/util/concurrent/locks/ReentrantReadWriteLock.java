package java.util.concurrent.locks;

import java.util.concurrent.TimeUnit;
import selvedge.Intrinsics;
import selvedge.Tid;

/** Readers and one writer. A writer may take the lock again, and read; a reader may read again. */
public class ReentrantReadWriteLock implements ReadWriteLock {
  private int readers;
  private Tid writer;
  private int again;
  private final ReadLock read = new ReadLock(this);
  private final WriteLock write = new WriteLock(this);

  public ReentrantReadWriteLock() {}

  public ReentrantReadWriteLock(boolean fair) {}

  @Override
  public ReadLock readLock() {
    return read;
  }

  @Override
  public WriteLock writeLock() {
    return write;
  }

  boolean takeRead(boolean waits) {
    Intrinsics.atomicBegin();
    Tid owner = writer;
    boolean free = Intrinsics.same(owner, Intrinsics.none());
    boolean may = free | Intrinsics.same(owner, Intrinsics.self());
    if (waits) Intrinsics.await(may);
    if (may) readers = readers + 1;
    Intrinsics.atomicEnd();
    return may;
  }

  void leaveRead() {
    Intrinsics.atomicBegin();
    boolean wrong = readers == 0;
    if (!wrong) readers = readers - 1;
    Intrinsics.atomicEnd();
    if (wrong) throw new IllegalMonitorStateException();
  }

  boolean takeWrite(boolean waits) {
    Intrinsics.atomicBegin();
    Tid owner = writer;
    boolean mine = Intrinsics.same(owner, Intrinsics.self());
    boolean free = Intrinsics.same(owner, Intrinsics.none());
    int reading = readers;
    boolean may = mine | (free & reading == 0);
    if (waits) Intrinsics.await(may);
    if (may) {
      if (mine) again = again + 1;
      writer = Intrinsics.self();
    }
    Intrinsics.atomicEnd();
    return may;
  }

  void leaveWrite() {
    Intrinsics.atomicBegin();
    Tid owner = writer;
    boolean mine = Intrinsics.same(owner, Intrinsics.self());
    if (mine) {
      int count = again;
      if (count > 0) again = count - 1;
      else writer = Intrinsics.none();
    }
    Intrinsics.atomicEnd();
    if (!mine) throw new IllegalMonitorStateException();
  }

  public static class ReadLock implements Lock {
    private final ReentrantReadWriteLock lock;

    ReadLock(ReentrantReadWriteLock lock) {
      this.lock = lock;
    }

    @Override
    public void lock() {
      lock.takeRead(true);
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
      return lock.takeRead(false);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      Thread.answerInterrupt();
      return tryLock();
    }

    @Override
    public void unlock() {
      lock.leaveRead();
    }

    @Override
    public Condition newCondition() {
      throw new UnsupportedOperationException();
    }
  }

  public static class WriteLock implements Lock {
    private final ReentrantReadWriteLock lock;

    WriteLock(ReentrantReadWriteLock lock) {
      this.lock = lock;
    }

    @Override
    public void lock() {
      lock.takeWrite(true);
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
      return lock.takeWrite(false);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
      Thread.answerInterrupt();
      return tryLock();
    }

    @Override
    public void unlock() {
      lock.leaveWrite();
    }

    @Override
    public Condition newCondition() {
      Intrinsics.unsupported("conditions of a read-write lock");
      return null;
    }
  }
}
