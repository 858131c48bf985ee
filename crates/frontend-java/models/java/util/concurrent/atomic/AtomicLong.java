package java.util.concurrent.atomic;

import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import selvedge.Intrinsics;

public class AtomicLong {
  private volatile long value;

  public AtomicLong() {}

  public AtomicLong(long value) {
    this.value = value;
  }

  public final long get() {
    return value;
  }

  public final void set(long to) {
    value = to;
  }

  public final void lazySet(long to) {
    value = to;
  }

  public final boolean compareAndSet(long expected, long to) {
    Intrinsics.atomicBegin();
    boolean same = value == expected;
    if (same) value = to;
    Intrinsics.atomicEnd();
    return same;
  }

  public final long incrementAndGet() {
    Intrinsics.atomicBegin();
    long old = value;
    long next = old + 1;
    value = next;
    Intrinsics.atomicEnd();
    return next;
  }

  public final long decrementAndGet() {
    Intrinsics.atomicBegin();
    long old = value;
    long next = old - 1;
    value = next;
    Intrinsics.atomicEnd();
    return next;
  }

  public final long getAndIncrement() {
    Intrinsics.atomicBegin();
    long old = value;
    long next = old + 1;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final long getAndDecrement() {
    Intrinsics.atomicBegin();
    long old = value;
    long next = old - 1;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final long addAndGet(long by) {
    Intrinsics.atomicBegin();
    long old = value;
    long next = old + by;
    value = next;
    Intrinsics.atomicEnd();
    return next;
  }

  public final long getAndAdd(long by) {
    Intrinsics.atomicBegin();
    long old = value;
    long next = old + by;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final long getAndSet(long to) {
    Intrinsics.atomicBegin();
    long old = value;
    long next = to;
    value = next;
    Intrinsics.atomicEnd();
    return old;
  }

  public final long updateAndGet(LongUnaryOperator function) {
    while (true) {
      long old = get();
      long next = function.applyAsLong(old);
      if (compareAndSet(old, next)) return next;
    }
  }

  public final long getAndUpdate(LongUnaryOperator function) {
    while (true) {
      long old = get();
      long next = function.applyAsLong(old);
      if (compareAndSet(old, next)) return old;
    }
  }

  public final long accumulateAndGet(long by, LongBinaryOperator function) {
    while (true) {
      long old = get();
      long next = function.applyAsLong(old, by);
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
