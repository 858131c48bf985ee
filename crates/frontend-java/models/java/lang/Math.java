package java.lang;

public final class Math {
  private Math() {}

  public static int max(int a, int b) {
    return a >= b ? a : b;
  }

  public static int min(int a, int b) {
    return a <= b ? a : b;
  }

  public static int abs(int a) {
    return a < 0 ? -a : a;
  }

  public static long max(long a, long b) {
    return a >= b ? a : b;
  }

  public static long min(long a, long b) {
    return a <= b ? a : b;
  }

  public static long abs(long a) {
    return a < 0L ? -a : a;
  }

  public static int floorDiv(int a, int b) {
    int quotient = a / b;
    return (a ^ b) < 0 && quotient * b != a ? quotient - 1 : quotient;
  }

  public static int floorMod(int a, int b) {
    int rest = a % b;
    return (rest ^ b) < 0 && rest != 0 ? rest + b : rest;
  }

  public static int addExact(int a, int b) {
    int sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) throw new ArithmeticException("integer overflow");
    return sum;
  }

  public static int subtractExact(int a, int b) {
    int difference = a - b;
    if (((a ^ b) & (a ^ difference)) < 0) throw new ArithmeticException("integer overflow");
    return difference;
  }

  public static int multiplyExact(int a, int b) {
    long product = (long) a * (long) b;
    if ((int) product != product) throw new ArithmeticException("integer overflow");
    return (int) product;
  }

  public static int incrementExact(int a) {
    if (a == Integer.MAX_VALUE) throw new ArithmeticException("integer overflow");
    return a + 1;
  }
}
