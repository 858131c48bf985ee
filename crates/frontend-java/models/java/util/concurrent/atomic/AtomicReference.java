package java.util.concurrent.atomic;

import selvedge.Intrinsics;

public class AtomicReference<V> {
  private volatile V value;

  public AtomicReference() {}

  public AtomicReference(V value) {
    this.value = value;
  }

  public final V get() {
    return value;
  }

  public final void set(V to) {
    value = to;
  }

  public final boolean compareAndSet(V expected, V to) {
    Intrinsics.atomicBegin();
    boolean same = value == expected;
    if (same) value = to;
    Intrinsics.atomicEnd();
    return same;
  }

  public final V getAndSet(V to) {
    Intrinsics.atomicBegin();
    V old = value;
    value = to;
    Intrinsics.atomicEnd();
    return old;
  }

  public String toString() {
    return new String();
  }
}
