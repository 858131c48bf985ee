package java.util;

import selvedge.Intrinsics;

/** Any numbers. */
public class Random {
  public Random() {}

  public Random(long seed) {}

  public int nextInt() {
    return Intrinsics.anyInt();
  }

  public int nextInt(int bound) {
    if (bound <= 0) throw new IllegalArgumentException();
    int number = Intrinsics.anyInt();
    Intrinsics.assume(number >= 0 && number < bound);
    return number;
  }

  public long nextLong() {
    return Intrinsics.anyLong();
  }

  public boolean nextBoolean() {
    return Intrinsics.anyBoolean();
  }
}
