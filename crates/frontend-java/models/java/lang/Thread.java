package java.lang;

import selvedge.Intrinsics;
import selvedge.PerThread;
import selvedge.Tid;

public class Thread implements Runnable {
  public static final int MIN_PRIORITY = 1;
  public static final int NORM_PRIORITY = 5;
  public static final int MAX_PRIORITY = 10;

  private Runnable target;
  private boolean started;
  private boolean ended;
  private Tid tid;
  boolean interrupted;
  /** In a list of those who wait for one object. */
  Thread nextWaiter;
  boolean woken;

  public Thread() {}

  public Thread(Runnable target) {
    this.target = target;
  }

  public Thread(String name) {}

  public Thread(Runnable target, String name) {
    this.target = target;
  }

  @Override
  public void run() {
    if (target != null) target.run();
  }

  /** What a new thread does. */
  final void begin() {
    if (Intrinsics.uses("java/lang/Thread", "currentThread")) PerThread.current = this;
    // Whether somebody can see the end of a thread without waiting for it.
    if (Intrinsics.uses("java/lang/Thread", "isAlive|interrupt")) {
      try {
        run();
      } finally {
        Intrinsics.atomicBegin();
        ended = true;
        Intrinsics.atomicEnd();
      }
    } else {
      run();
    }
  }

  public void start() {
    Intrinsics.atomicBegin();
    boolean twice = started;
    if (!twice) {
      started = true;
      tid = Intrinsics.spawn(this);
    }
    Intrinsics.atomicEnd();
    if (twice) throw new IllegalThreadStateException();
  }

  public final void join() throws InterruptedException {
    answerInterrupt();
    Intrinsics.atomicBegin();
    boolean running = started;
    Tid thread = tid;
    Intrinsics.atomicEnd();
    if (!running) return;
    if (Intrinsics.uses("java/lang/Thread", "interrupt")) {
      Thread me = currentThread();
      Intrinsics.atomicBegin();
      boolean over = ended;
      Intrinsics.await(over | me.interrupted);
      Intrinsics.atomicEnd();
      answerInterrupt();
    } else {
      Intrinsics.join(thread);
    }
  }

  public final void join(long milliseconds) throws InterruptedException {
    if (milliseconds != 0L && Intrinsics.anyBoolean()) {
      answerInterrupt();
      return;
    }
    join();
  }

  public final boolean isAlive() {
    Intrinsics.atomicBegin();
    boolean alive = started & !ended;
    Intrinsics.atomicEnd();
    return alive;
  }

  public static Thread currentThread() {
    Thread current = PerThread.current;
    if (current == null) {
      current = new Thread();
      current.started = true;
      PerThread.current = current;
    }
    return current;
  }

  public void interrupt() {
    Intrinsics.atomicBegin();
    interrupted = true;
    Intrinsics.atomicEnd();
  }

  public boolean isInterrupted() {
    Intrinsics.atomicBegin();
    boolean is = interrupted;
    Intrinsics.atomicEnd();
    return is;
  }

  public static boolean interrupted() {
    Thread me = currentThread();
    Intrinsics.atomicBegin();
    boolean was = me.interrupted;
    me.interrupted = false;
    Intrinsics.atomicEnd();
    return was;
  }

  /** Where a thread would wait: if it is interrupted, it does not. */
  public static void answerInterrupt() throws InterruptedException {
    if (Intrinsics.uses("java/lang/Thread", "interrupt")) {
      if (interrupted()) throw new InterruptedException();
    }
  }

  public static void sleep(long milliseconds) throws InterruptedException {
    if (milliseconds < 0L) throw new IllegalArgumentException();
    answerInterrupt();
  }

  public static void sleep(long milliseconds, int nanoseconds) throws InterruptedException {
    sleep(milliseconds);
  }

  public static void yield() {}

  public static void onSpinWait() {}

  public static boolean holdsLock(Object object) {
    return Intrinsics.holds(object);
  }

  public final void setName(String name) {}

  public final String getName() {
    return new String();
  }

  public final void setPriority(int priority) {}

  public final void setDaemon(boolean on) {
    if (on) Intrinsics.unsupported("daemon threads");
  }
}
