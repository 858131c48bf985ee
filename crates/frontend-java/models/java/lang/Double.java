package java.lang;

public final class Double extends Number implements Comparable<Double> {
  private final double value;

  public Double(double value) {
    this.value = value;
  }

  public static Double valueOf(double value) {
    return new Double(value);
  }

  public double doubleValue() {
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

  public float floatValue() {
    return (float) value;
  }

  public native boolean equals(Object other);

  public native int hashCode();

  public int compareTo(Double other) {
    return compare(value, other.value);
  }

  public static native int compare(double a, double b);

  public String toString() {
    return new String();
  }

  public static String toString(double value) {
    return new String();
  }
}
