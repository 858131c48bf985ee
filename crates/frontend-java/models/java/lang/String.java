package java.lang;

import selvedge.Intrinsics;

/**
 * A string. Of constants it is known which they are; of other strings nothing is known, and whatever
 * depends on their content is not supported.
 */
public final class String implements java.io.Serializable, Comparable<String>, CharSequence {
  /** The number of the constant, or 0; equal constants have equal numbers. */
  private int text;
  private int hash;
  private int length;

  public String() {}

  public String(String other) {
    text = other.text;
    hash = other.hash;
    length = other.length;
  }

  public String(char[] characters) {}

  public boolean equals(Object other) {
    if (this == other) return true;
    if (!(other instanceof String)) return false;
    String string = (String) other;
    if (text == 0 || string.text == 0) Intrinsics.unsupported("the content of a string");
    return text == string.text;
  }

  public int hashCode() {
    if (text == 0) Intrinsics.unsupported("the content of a string");
    return hash;
  }

  public int length() {
    if (text == 0) Intrinsics.unsupported("the content of a string");
    return length;
  }

  public boolean isEmpty() {
    return length() == 0;
  }

  public char charAt(int index) {
    Intrinsics.unsupported("the content of a string");
    return 0;
  }

  public CharSequence subSequence(int from, int to) {
    Intrinsics.unsupported("the content of a string");
    return null;
  }

  public int compareTo(String other) {
    Intrinsics.unsupported("the content of a string");
    return 0;
  }

  public String toString() {
    return this;
  }

  public String intern() {
    if (text == 0) Intrinsics.unsupported("the content of a string");
    return this;
  }

  public static String valueOf(Object object) {
    return object == null ? "null" : object.toString();
  }

  public static String valueOf(boolean value) {
    return value ? "true" : "false";
  }

  public static String valueOf(char value) {
    return new String();
  }

  public static String valueOf(int value) {
    return new String();
  }

  public static String valueOf(long value) {
    return new String();
  }

  public static String valueOf(double value) {
    return new String();
  }

  public static String format(String format, Object... arguments) {
    for (Object argument : arguments) valueOf(argument);
    return new String();
  }
}
