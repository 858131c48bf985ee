package java.lang;

import selvedge.Intrinsics;

public final class Short extends Number implements Comparable<Short> {
  /** Values from -128 to 127 have one object each, made when it is first asked for. */
  private static final Short[] cache = new Short[256];

  private final short value;

  public Short(short value) {
    this.value = value;
  }

  public static Short valueOf(short value) {
    if (value >= -128 && value <= 127) {
      int index = (int) value + 128;
      Intrinsics.atomicBegin();
      Short known = cache[index];
      if (known == null) {
        known = new Short(value);
        cache[index] = known;
      }
      Intrinsics.atomicEnd();
      return known;
    }
    return new Short(value);
  }

  public short shortValue() {
    return value;
  }

  public byte byteValue() {
    return (byte) value;
  }

  public int intValue() {
    return (int) value;
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
    return other instanceof Short && value == ((Short) other).value;
  }

  public int hashCode() {
    return value;
  }

  public int compareTo(Short other) {
    return compare(value, other.value);
  }

  public static int compare(short a, short b) {
    return a < b ? -1 : a == b ? 0 : 1;
  }

  public String toString() {
    return new String();
  }

  public static String toString(short value) {
    return new String();
  }

  public static final short MIN_VALUE = -32768;
  public static final short MAX_VALUE = 32767;
}
