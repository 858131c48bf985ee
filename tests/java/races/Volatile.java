// truth: safe
// property: race,assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: a volatile flag publishes what was written before it
class Volatile {
  static int data;
  static volatile boolean ready;

  public static void main(String[] args) {
    new Thread(() -> {
      data = 42;
      ready = true;
    }).start();
    if (ready) assert data == 42;
  }
}
