package java.util.concurrent.atomic;

import selvedge.Intrinsics;

public class AtomicBoolean {
  private volatile boolean value;

  public AtomicBoolean() {}

  public AtomicBoolean(boolean value) {
    this.value = value;
  }

  public final boolean get() {
    return value;
  }

  public final void set(boolean to) {
    value = to;
  }

  public final boolean compareAndSet(boolean expected, boolean to) {
    Intrinsics.atomicBegin();
    boolean same = value == expected;
    if (same) value = to;
    Intrinsics.atomicEnd();
    return same;
  }

  public final boolean getAndSet(boolean to) {
    Intrinsics.atomicBegin();
    boolean old = value;
    value = to;
    Intrinsics.atomicEnd();
    return old;
  }

  public String toString() {
    return new String();
  }
}
