// truth: unsafe
// property: race
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unknown(work) cover=unsafe
// why: double-checked locking without volatile reads while another writes
class DoubleChecked {
  static class Helper {
    int value = 3;
  }

  private Helper helper;

  Helper get() {
    if (helper == null) {  // FAILS
      synchronized (this) {
        if (helper == null) {
          helper = new Helper();  // FAILS
        }
      }
    }
    return helper;  // CAN FAIL
  }

  public static void main(String[] args) {
    DoubleChecked shared = new DoubleChecked();
    new Thread(() -> shared.get()).start();
    shared.get();
  }
}
