// truth: safe
// property: race,assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: start and join order all accesses
class StartAndJoin {
  static int x;

  public static void main(String[] args) throws InterruptedException {
    x = 1;
    Thread other = new Thread(() -> x++);
    other.start();
    other.join();
    x++;
    assert x == 3;
  }
}
