package java.lang;

import java.io.PrintStream;
import selvedge.Intrinsics;

public final class System {
  private System() {}

  public static final PrintStream out = new PrintStream();
  public static final PrintStream err = new PrintStream();

  public static long currentTimeMillis() {
    long time = Intrinsics.anyLong();
    Intrinsics.assume(time >= 0L);
    return time;
  }

  public static long nanoTime() {
    return Intrinsics.anyLong();
  }

  public static void exit(int status) {
    Intrinsics.halt();
  }

  public static void gc() {}

  public static String lineSeparator() {
    return "\n";
  }

  public static void arraycopy(Object from, int fromIndex, Object to, int toIndex, int length) {
    if (from == null || to == null) throw new NullPointerException();
    if (fromIndex < 0 || toIndex < 0 || length < 0) throw new ArrayIndexOutOfBoundsException();
    if (from instanceof Object[] && to instanceof Object[]) {
      copy((Object[]) from, fromIndex, (Object[]) to, toIndex, length);
    } else if (from instanceof int[] && to instanceof int[]) {
      copy((int[]) from, fromIndex, (int[]) to, toIndex, length);
    } else {
      Intrinsics.unsupported("System.arraycopy of these arrays");
    }
  }

  private static void copy(Object[] from, int fromIndex, Object[] to, int toIndex, int length) {
    if (length > from.length - fromIndex || length > to.length - toIndex)
      throw new ArrayIndexOutOfBoundsException();
    if (from == to && fromIndex < toIndex) {
      for (int i = length - 1; i >= 0; i--) to[toIndex + i] = from[fromIndex + i];
    } else {
      for (int i = 0; i < length; i++) to[toIndex + i] = from[fromIndex + i];
    }
  }

  private static void copy(int[] from, int fromIndex, int[] to, int toIndex, int length) {
    if (length > from.length - fromIndex || length > to.length - toIndex)
      throw new ArrayIndexOutOfBoundsException();
    if (from == to && fromIndex < toIndex) {
      for (int i = length - 1; i >= 0; i--) to[toIndex + i] = from[fromIndex + i];
    } else {
      for (int i = 0; i < length; i++) to[toIndex + i] = from[fromIndex + i];
    }
  }
}
