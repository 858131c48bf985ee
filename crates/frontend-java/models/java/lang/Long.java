package java.lang;

import selvedge.Intrinsics;

public final class Long extends Number implements Comparable<Long> {
  /** Values from -128 to 127 have one object each, made when it is first asked for. */
  private static final Long[] cache = new Long[256];

  private final long value;

  public Long(long value) {
    this.value = value;
  }

  public static Long valueOf(long value) {
    if (value >= -128 && value <= 127) {
      int index = (int) value + 128;
      Intrinsics.atomicBegin();
      Long known = cache[index];
      if (known == null) {
        known = new Long(value);
        cache[index] = known;
      }
      Intrinsics.atomicEnd();
      return known;
    }
    return new Long(value);
  }

  public long longValue() {
    return value;
  }

  public byte byteValue() {
    return (byte) value;
  }

  public short shortValue() {
    return (short) value;
  }

  public int intValue() {
    return (int) value;
  }

  public float floatValue() {
    return (float) value;
  }

  public double doubleValue() {
    return (double) value;
  }

  public boolean equals(Object other) {
    return other instanceof Long && value == ((Long) other).value;
  }

  public int hashCode() {
    return (int) (value ^ (value >>> 32));
  }

  public int compareTo(Long other) {
    return compare(value, other.value);
  }

  public static int compare(long a, long b) {
    return a < b ? -1 : a == b ? 0 : 1;
  }

  public String toString() {
    return new String();
  }

  public static String toString(long value) {
    return new String();
  }

  public static final long MIN_VALUE = 0x8000000000000000L;
  public static final long MAX_VALUE = 0x7fffffffffffffffL;

  public static long max(long a, long b) {
    return a >= b ? a : b;
  }

  public static long min(long a, long b) {
    return a <= b ? a : b;
  }

  public static long sum(long a, long b) {
    return a + b;
  }
}
