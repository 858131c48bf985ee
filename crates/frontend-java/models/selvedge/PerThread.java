package selvedge;

/** Each thread has these fields for itself. */
public final class PerThread {
  private PerThread() {}

  public static Thread current;
}
