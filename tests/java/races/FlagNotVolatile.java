// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: a flag that is not volatile orders nothing
class FlagNotVolatile {
  static int data;
  static boolean ready;

  public static void main(String[] args) {
    new Thread(() -> {
      data = 42;
      ready = true;  // FAILS
    }).start();
    if (ready) {  // FAILS
      data++;
    }
  }
}
