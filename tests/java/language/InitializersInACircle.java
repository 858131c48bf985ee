// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: of two classes that need each other, the one that is used first sees the other whole
class InitializersInACircle {
  static class First {
    static final Object MADE = new Object();
    static final Second OTHER = new Second();
    final Object second;

    First() {
      second = Second.MADE;
    }
  }

  static class Second {
    static final Object MADE = new Object();
    static final First OTHER = new First();
    final Object first;

    Second() {
      first = First.MADE;
    }
  }

  public static void main(String[] args) {
    assert Second.OTHER.second == Second.MADE;
    assert Second.OTHER.second != null;
    assert First.OTHER.first == First.MADE;
  }
}
