// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unknown(work)
// why: both threads read before either writes
class LostUpdate {
  static int count;

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> count++);
    other.start();
    count++;
    other.join();
    assert count == 2;  // FAILS
  }
}
