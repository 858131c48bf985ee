package java.util.concurrent;

import selvedge.Intrinsics;

public class CountDownLatch {
  private int count;

  public CountDownLatch(int count) {
    if (count < 0) throw new IllegalArgumentException();
    this.count = count;
  }

  public void await() throws InterruptedException {
    Thread.answerInterrupt();
    if (Intrinsics.uses("java/lang/Thread", "interrupt"))
      Intrinsics.unsupported("CountDownLatch.await together with interrupt");
    Intrinsics.atomicBegin();
    int left = count;
    Intrinsics.await(left == 0);
    Intrinsics.atomicEnd();
  }

  /** The time may be over at once, or late. */
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    Thread.answerInterrupt();
    Intrinsics.atomicBegin();
    boolean open = count == 0;
    Intrinsics.atomicEnd();
    return open;
  }

  public void countDown() {
    Intrinsics.atomicBegin();
    int left = count;
    if (left > 0) count = left - 1;
    Intrinsics.atomicEnd();
  }

  public long getCount() {
    Intrinsics.atomicBegin();
    int left = count;
    Intrinsics.atomicEnd();
    return left;
  }
}
