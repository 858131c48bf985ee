package java.lang;

import selvedge.Intrinsics;
import selvedge.Tid;

public class Object {
  /** The thread inside of the monitor. */
  Tid monitor;
  /** Threads that wait for this object, where deadlocks are checked. */
  Thread firstWaiter;

  public Object() {}

  public final native Class<?> getClass();

  public native int hashCode();

  protected native Object clone() throws CloneNotSupportedException;

  public boolean equals(Object other) {
    return this == other;
  }

  public String toString() {
    return new String();
  }

  public final void notify() {
    Waiting.mustHold(this);
    Waiting.wakeOne(this);
  }

  public final void notifyAll() {
    Waiting.mustHold(this);
    Waiting.wakeAll(this);
  }

  public final void wait() throws InterruptedException {
    Waiting.mustHold(this);
    Thread.answerInterrupt();
    if (!Intrinsics.checks("deadlock") || Intrinsics.anyBoolean()) {
      Intrinsics.unlock(this);
      Intrinsics.lock(this);
    } else {
      Intrinsics.atomicBegin();
      Waiting.enter(this);
      Intrinsics.unlock(this);
      Intrinsics.atomicEnd();
      Waiting.await(this);
      Intrinsics.lock(this);
    }
    Thread.answerInterrupt();
  }

  public final void wait(long milliseconds) throws InterruptedException {
    if (milliseconds < 0L) throw new IllegalArgumentException();
    if (milliseconds == 0L) {
      wait();
      return;
    }
    Waiting.mustHold(this);
    Thread.answerInterrupt();
    if (!Intrinsics.checks("deadlock")) {
      Intrinsics.unlock(this);
    } else {
      Intrinsics.atomicBegin();
      Waiting.enter(this);
      Intrinsics.unlock(this);
      Intrinsics.atomicEnd();
      Waiting.leave(this);
    }
    Intrinsics.lock(this);
    Thread.answerInterrupt();
  }

  public final void wait(long milliseconds, int nanoseconds) throws InterruptedException {
    wait(nanoseconds > 0 ? milliseconds + 1L : milliseconds);
  }
}
