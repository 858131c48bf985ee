package java.lang;

import selvedge.Intrinsics;

public final class Byte extends Number implements Comparable<Byte> {
  /** Values from -128 to 127 have one object each, made when it is first asked for. */
  private static final Byte[] cache = new Byte[256];

  private final byte value;

  public Byte(byte value) {
    this.value = value;
  }

  public static Byte valueOf(byte value) {
    if (true) {
      int index = (int) value + 128;
      Intrinsics.atomicBegin();
      Byte known = cache[index];
      if (known == null) {
        known = new Byte(value);
        cache[index] = known;
      }
      Intrinsics.atomicEnd();
      return known;
    }
    return new Byte(value);
  }

  public byte byteValue() {
    return value;
  }

  public short shortValue() {
    return (short) value;
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
    return other instanceof Byte && value == ((Byte) other).value;
  }

  public int hashCode() {
    return value;
  }

  public int compareTo(Byte other) {
    return compare(value, other.value);
  }

  public static int compare(byte a, byte b) {
    return a < b ? -1 : a == b ? 0 : 1;
  }

  public String toString() {
    return new String();
  }

  public static String toString(byte value) {
    return new String();
  }

  public static final byte MIN_VALUE = -128;
  public static final byte MAX_VALUE = 127;
}
