// truth: safe
// property: assert,exception
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(work) cover=unknown(work)
// why: much of the language at once, with the results that a JVM has
import java.util.function.*;
class Mixture {
  static int fin(int x) { try { if (x == 0) return 1; if (x == 1) throw new RuntimeException(); return 2; } catch (RuntimeException e) { return 3; } finally { n++; } }
  static int n;
  static int over() { int i = 5; try { return i; } finally { i = 9; } }
  interface Op { int ap(int a, int b); static Op add() { return (a, b) -> a + b; } }
  static abstract class Base { int v = init(); abstract int init(); Base() { v += 10; } }
  static class D extends Base { int w = 7; int init() { return 3 + w; } }
  class Inner { int get() { return f * 2; } }
  int f = 21;
  static int fib(int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); }
  static long mix(long a, int s) { return (a << s) ^ (a >>> 3) | (a >> 2); }
  static <T> T id(T t) { return t; }
  static int sw(int k) { switch (k) { case 1: case 2: return 10; case 5: k++; default: return k; } }
  static int loop() { int s = 0; outer: for (int i = 0; i < 5; i++) { for (int j = 0; j < 5; j++) { if (j == 3) continue outer; if (i == 3) break outer; s += i * j; } } return s; }
  static class Res implements AutoCloseable { static int closed; public void close() { closed++; } }
  static int res() { try (Res r = new Res()) { throw new IllegalStateException(); } catch (IllegalStateException e) { return Res.closed; } }
  static int nest() { int r = 0; try { try { int[] a = new int[1]; a[2] = 1; } catch (NullPointerException e) { r = 1; } finally { r += 10; } } catch (ArrayIndexOutOfBoundsException e) { r += 100; } return r; }
  public static void main(String[] a) {
    assert fin(0) == 1 && fin(1) == 3 && fin(2) == 2 && n == 3;
    assert over() == 5;
    assert Op.add().ap(3, 4) == 7;
    assert new D().v == 13;
    assert new Mixture().new Inner().get() == 42;
    assert fib(6) == 8;
    assert mix(-123456789L, 5) == -4464705L;
    Integer box = id(5); int sum = box + id(7); assert sum == 12;
    assert sw(1) == 10 && sw(5) == 6 && sw(9) == 9;
    assert loop() == 9;
    assert res() == 1;
    assert nest() == 110;
    IntUnaryOperator tw = x -> x * 2; IntUnaryOperator c = tw.andThen(x -> x + 1); assert c.applyAsInt(5) == 11;
    Supplier<Integer> s = () -> 9; assert s.get() == 9;
    Object o = new int[]{1,2,3}; assert o instanceof int[] && ((int[]) o).length == 3 && !(o instanceof Object[]);
    byte[] bs = new byte[2]; bs[0] = (byte) 300; assert bs[0] == 44; boolean[] zs = new boolean[2]; zs[1] = true; assert zs[1] && !zs[0];
    char ch = 'a'; ch += 1; assert ch == 'b'; short sh = (short) 70000; assert sh == 4464;
    long[][] m = new long[2][3]; m[1][2] = 5L; assert m[1][2] == 5L && m[0].length == 3;
    Object[] os = new String[1]; boolean st = false; try { os[0] = Integer.valueOf(1); } catch (ArrayStoreException e) { st = true; } assert st;
    float fl = 1.5f; assert fl * 2 == 3.0f && (long) -2.7 == -2L && Float.valueOf(fl).intValue() == 1;
    int x = 0; x = x++ + ++x; assert x == 2;
    assert Long.compare(3, 4) < 0 && Integer.max(3, 9) == 9;
    String t = null; assert ("x" + t + 1) != null;
    boolean cc = false; try { Object q = "s"; Integer w = (Integer) q; } catch (ClassCastException e) { cc = true; } assert cc;
  }
}
