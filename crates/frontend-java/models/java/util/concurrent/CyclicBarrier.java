package java.util.concurrent;

import selvedge.Intrinsics;

/** Without interrupts and time limits nobody breaks a barrier, unless its action throws. */
public class CyclicBarrier {
  private final int parties;
  private final Runnable action;
  private int arrived;
  private int round;

  public CyclicBarrier(int parties, Runnable action) {
    if (parties <= 0) throw new IllegalArgumentException();
    this.parties = parties;
    this.action = action;
  }

  public CyclicBarrier(int parties) {
    this(parties, null);
  }

  public int getParties() {
    return parties;
  }

  public int await() throws InterruptedException, BrokenBarrierException {
    if (Intrinsics.uses("java/lang/Thread", "interrupt"))
      Intrinsics.unsupported("CyclicBarrier.await together with interrupt");
    int all = parties;
    Intrinsics.atomicBegin();
    int mine = round;
    int before = arrived;
    arrived = before + 1;
    Intrinsics.atomicEnd();
    if (before + 1 == all) {
      if (action != null) {
        try {
          action.run();
        } catch (Throwable failure) {
          Intrinsics.unsupported("a barrier whose action throws");
        }
      }
      Intrinsics.atomicBegin();
      arrived = 0;
      round = mine + 1;
      Intrinsics.atomicEnd();
    } else {
      Intrinsics.atomicBegin();
      int now = round;
      Intrinsics.await(now != mine);
      Intrinsics.atomicEnd();
    }
    return all - 1 - before;
  }
}
