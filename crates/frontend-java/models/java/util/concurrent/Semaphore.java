package java.util.concurrent;

import selvedge.Intrinsics;

public class Semaphore {
  private int permits;

  public Semaphore(int permits) {
    this.permits = permits;
  }

  public Semaphore(int permits, boolean fair) {
    this.permits = permits;
  }

  public void acquire() throws InterruptedException {
    acquire(1);
  }

  public void acquire(int count) throws InterruptedException {
    Thread.answerInterrupt();
    if (Intrinsics.uses("java/lang/Thread", "interrupt"))
      Intrinsics.unsupported("Semaphore.acquire together with interrupt");
    acquireUninterruptibly(count);
  }

  public void acquireUninterruptibly() {
    acquireUninterruptibly(1);
  }

  public void acquireUninterruptibly(int count) {
    if (count < 0) throw new IllegalArgumentException();
    Intrinsics.atomicBegin();
    int free = permits;
    Intrinsics.await(free >= count);
    permits = free - count;
    Intrinsics.atomicEnd();
  }

  public boolean tryAcquire() {
    return tryAcquire(1);
  }

  public boolean tryAcquire(int count) {
    if (count < 0) throw new IllegalArgumentException();
    Intrinsics.atomicBegin();
    int free = permits;
    boolean enough = free >= count;
    if (enough) permits = free - count;
    Intrinsics.atomicEnd();
    return enough;
  }

  public boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException {
    Thread.answerInterrupt();
    return tryAcquire(1);
  }

  public void release() {
    release(1);
  }

  public void release(int count) {
    if (count < 0) throw new IllegalArgumentException();
    Intrinsics.atomicBegin();
    permits = permits + count;
    Intrinsics.atomicEnd();
  }

  public int availablePermits() {
    Intrinsics.atomicBegin();
    int free = permits;
    Intrinsics.atomicEnd();
    return free;
  }
}
