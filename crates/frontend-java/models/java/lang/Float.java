package java.lang;

public final class Float extends Number implements Comparable<Float> {
  private final float value;

  public Float(float value) {
    this.value = value;
  }

  public static Float valueOf(float value) {
    return new Float(value);
  }

  public float floatValue() {
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

  public long longValue() {
    return (long) value;
  }

  public double doubleValue() {
    return (double) value;
  }

  public native boolean equals(Object other);

  public native int hashCode();

  public int compareTo(Float other) {
    return compare(value, other.value);
  }

  public static native int compare(float a, float b);

  public String toString() {
    return new String();
  }

  public static String toString(float value) {
    return new String();
  }
}
