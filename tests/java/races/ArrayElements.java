// truth: safe
// property: race,assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: different elements are different memory
class ArrayElements {
  static final int[] cells = new int[2];

  public static void main(String[] args) throws InterruptedException {
    Thread other = new Thread(() -> cells[1] = 1);
    other.start();
    cells[0] = 1;
    other.join();
    assert cells[0] + cells[1] == 2;
  }
}
