// truth: safe
// property: race,assert,exception
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: double-checked locking with a volatile field
class DoubleCheckedVolatile {
  static class Helper {
    int value = 3;
  }

  private volatile Helper helper;

  Helper get() {
    if (helper == null) {
      synchronized (this) {
        if (helper == null) {
          helper = new Helper();
        }
      }
    }
    return helper;
  }

  public static void main(String[] args) {
    DoubleCheckedVolatile shared = new DoubleCheckedVolatile();
    new Thread(() -> shared.get()).start();
    assert shared.get().value == 3;
  }
}
