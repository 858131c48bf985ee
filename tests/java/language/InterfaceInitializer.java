// truth: unsafe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: an interface with default methods is initialised before the first object of a class with it
class InterfaceInitializer {
  static int count;

  interface Counted {
    Object FIRST = first();

    static Object first() {
      count++;
      return null;
    }

    default int twice() {
      return 2;
    }
  }

  static class Thing implements Counted {}

  public static void main(String[] args) {
    new Thing();
    assert count == 0; // FAILS
  }
}
