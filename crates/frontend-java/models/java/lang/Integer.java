package java.lang;

import selvedge.Intrinsics;

public final class Integer extends Number implements Comparable<Integer> {
  /** Values from -128 to 127 have one object each, made when it is first asked for. */
  private static final Integer[] cache = new Integer[256];

  private final int value;

  public Integer(int value) {
    this.value = value;
  }

  public static Integer valueOf(int value) {
    if (value >= -128 && value <= 127) {
      int index = (int) value + 128;
      Intrinsics.atomicBegin();
      Integer known = cache[index];
      if (known == null) {
        known = new Integer(value);
        cache[index] = known;
      }
      Intrinsics.atomicEnd();
      return known;
    }
    return new Integer(value);
  }

  public int intValue() {
    return value;
  }

  public byte byteValue() {
    return (byte) value;
  }

  public short shortValue() {
    return (short) value;
  }

  public long longValue() {
    return (long) value;
  }

  public float floatValue() {
    return (float) value;
  }

  public double doubleValue() {
    return (double) value;
  }

  public boolean equals(Object other) {
    return other instanceof Integer && value == ((Integer) other).value;
  }

  public int hashCode() {
    return value;
  }

  public int compareTo(Integer other) {
    return compare(value, other.value);
  }

  public static int compare(int a, int b) {
    return a < b ? -1 : a == b ? 0 : 1;
  }

  public String toString() {
    return new String();
  }

  public static String toString(int value) {
    return new String();
  }

  public static final int MIN_VALUE = 0x80000000;
  public static final int MAX_VALUE = 0x7fffffff;

  public static int max(int a, int b) {
    return a >= b ? a : b;
  }

  public static int min(int a, int b) {
    return a <= b ? a : b;
  }

  public static int sum(int a, int b) {
    return a + b;
  }
}
