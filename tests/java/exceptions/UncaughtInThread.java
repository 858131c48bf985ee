// truth: unsafe
// property: exception
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an exception ends a thread
class UncaughtInThread {
  public static void main(String[] args) {
    new Thread(() -> {
      throw new IllegalStateException();  // FAILS
    }).start();
  }
}
