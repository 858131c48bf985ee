// truth: safe
// property: assert,race,deadlock
// engines: explore=safe contexts=unknown(bound) tar=unknown(work) horn=unknown(work) cover=unknown(work)
// why: a class is initialised once, by whoever uses it first
class StaticInitializer {
  static int runs;

  static class Lazy {
    static int value = make();

    static int make() {
      runs++;
      return 5;
    }
  }

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> {
      assert Lazy.value == 5;
    });
    other.start();
    assert Lazy.value == 5;
    other.join();
    assert runs == 1;
  }
}
