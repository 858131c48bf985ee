// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: what the initialiser of a class does is not done before somebody uses the class
class InitializerOfANeededClass {
  static int used;

  static class Part {
    static {
      used++;
    }
  }

  static class Whole {
    static final Part PART = new Part();
  }

  public static void main(String[] args) {
    assert used == 0;
    Object part = Whole.PART;
    assert used == 0; // FAILS
  }
}
