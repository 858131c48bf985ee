package selvedge;

/** What Plato has and Java has not. The lowering knows these methods by their names. */
public final class Intrinsics {
  private Intrinsics() {}

  /** Nobody else runs until the end of the block, which must be in the same method. */
  public static native void atomicBegin();

  public static native void atomicEnd();

  /** Inside of an atomic block: the block waits until this holds. */
  public static native void await(boolean condition);

  public static native void assume(boolean condition);

  /** Inputs. */
  public static native boolean anyBoolean();

  public static native int anyInt();

  public static native long anyLong();

  public static native void halt();

  /** The answer is not known from here on. The text is a constant, as those of the next two. */
  public static native void unsupported(String what);

  public static native boolean checks(String property);

  /** Whether the program can call one of these methods; the class as in class files, the names with
   * `|` between them. What depends on it stands behind `if (Intrinsics.uses(..)) {`. */
  public static native boolean uses(String className, String methods);

  public static native Tid none();

  public static native Tid self();

  public static native boolean same(Tid a, Tid b);

  /** Starts a thread in the object's `begin`. */
  public static native Tid spawn(Thread thread);

  public static native void join(Tid thread);

  /** The monitor of an object, not counting how often it was entered. */
  public static native void lock(Object object);

  /** Whether it was free, and now is this thread's. */
  public static native boolean tryLock(Object object);

  public static native boolean isLocked(Object object);

  public static native void unlock(Object object);

  public static native boolean holds(Object object);
}
