package java.lang;

import selvedge.Intrinsics;

public final class Character implements Comparable<Character> {
  /** Values from -128 to 127 have one object each, made when it is first asked for. */
  private static final Character[] cache = new Character[256];

  private final char value;

  public Character(char value) {
    this.value = value;
  }

  public static Character valueOf(char value) {
    if (value <= 127) {
      int index = (int) value;
      Intrinsics.atomicBegin();
      Character known = cache[index];
      if (known == null) {
        known = new Character(value);
        cache[index] = known;
      }
      Intrinsics.atomicEnd();
      return known;
    }
    return new Character(value);
  }

  public char charValue() {
    return value;
  }

  public boolean equals(Object other) {
    return other instanceof Character && value == ((Character) other).value;
  }

  public int hashCode() {
    return value;
  }

  public int compareTo(Character other) {
    return compare(value, other.value);
  }

  public static int compare(char a, char b) {
    return a < b ? -1 : a == b ? 0 : 1;
  }

  public String toString() {
    return new String();
  }

  public static String toString(char value) {
    return new String();
  }

  public static final char MIN_VALUE = '\u0000';
  public static final char MAX_VALUE = '\uffff';
}
