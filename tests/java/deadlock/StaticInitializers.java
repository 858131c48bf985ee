// truth: unsafe
// property: deadlock
// engines: explore=unsafe contexts=unsafe tar=unknown(property) horn=unknown(property) cover=unknown(property)
// why: two classes need each other for their initialisation
class StaticInitializers {
  static class A {
    static int value = B.value + 1;  // FAILS
  }

  static class B {
    static int value = A.value + 1;  // FAILS
  }

  public static void main(String[] args) {
    new Thread(() -> {
      int a = A.value;
    }).start();
    int b = B.value;
  }
}
