// truth: safe
// property: assert,race
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=unknown(work)
// why: a subclass of Thread runs its own run
class Subclass {
  static class Worker extends Thread {
    private final int number;
    int result;

    Worker(int number) {
      this.number = number;
    }

    @Override
    public void run() {
      result = number * number;
    }
  }

  public static void main(String[] args) throws InterruptedException {
    Worker two = new Worker(2);
    Worker three = new Worker(3);
    two.start();
    three.start();
    two.join();
    three.join();
    assert two.result + three.result == 13;
  }
}
