package java.util.concurrent.atomic;

import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import selvedge.Intrinsics;

public class AtomicInteger {
  private volatile int value;

  public AtomicInteger() {}

  public AtomicInteger(int value) {
    this.value = value;
  }

  public final int get() {
    return value;
  }

  public final void set(int to) {
    value = to;
  }

  public final void lazySet(int to) {
    value = to;
  }

  public final boolean compareAndSet(int expected, int to) {
    Intrinsics.atomicBegin();
    boolean same = value == expected;
    if (same) value = to;
    Intrinsics.atomicEnd();
    return same;
  }

  public final int incrementAndGet() {
    Intrinsics.atomicBegin();
    int old = value;
    int next = old + 1;
    value = next;
    Intrinsics.atomicEnd();
    return next;
  }

  public final int decrementAndGet() {
    Intrinsics.atomicBegin();
    int old = value;
    int next = old - 1;
    value = next;
    Intrinsics.atomicEnd();
    return next;
  }

  public final int getAndIncrement() {
    Intrinsics.atomicBegin();
    int old = value;
    int next = old + 1;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final int getAndDecrement() {
    Intrinsics.atomicBegin();
    int old = value;
    int next = old - 1;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final int addAndGet(int by) {
    Intrinsics.atomicBegin();
    int old = value;
    int next = old + by;
    value = next;
    Intrinsics.atomicEnd();
    return next;
  }

  public final int getAndAdd(int by) {
    Intrinsics.atomicBegin();
    int old = value;
    int next = old + by;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final int getAndSet(int to) {
    Intrinsics.atomicBegin();
    int old = value;
    int next = to;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final int updateAndGet(IntUnaryOperator function) {
    while (true) {
      int old = get();
      int next = function.applyAsInt(old);
      if (compareAndSet(old, next)) return next;
    }
  }

  public final int getAndUpdate(IntUnaryOperator function) {
    while (true) {
      int old = get();
      int next = function.applyAsInt(old);
      if (compareAndSet(old, next)) return old;
    }
  }

  public final int accumulateAndGet(int by, IntBinaryOperator function) {
    while (true) {
      int old = get();
      int next = function.applyAsInt(old, by);
      if (compareAndSet(old, next)) return next;
    }
  }

  public int intValue() {
    return (int) value;
  }

  public long longValue() {
    return value;
  }

  public String toString() {
    return new String();
  }
}
