package java.lang;

import selvedge.Intrinsics;

/**
 * Lists of threads that wait for an object. A waiter decides at the start whether it will wake up
 * spuriously; the others stand in the list until they are chosen, perhaps forever. Where deadlocks
 * are not checked nobody stands there: any waiter may wake up at any time.
 */
public final class Waiting {
  private Waiting() {}

  public static void mustHold(Object object) {
    if (!Intrinsics.holds(object)) throw new IllegalMonitorStateException();
  }

  /** In one atomic block with the release of the lock. */
  public static void enter(Object object) {
    Thread me = Thread.currentThread();
    Intrinsics.atomicBegin();
    me.woken = false;
    me.nextWaiter = object.firstWaiter;
    object.firstWaiter = me;
    Intrinsics.atomicEnd();
  }

  public static void await(Object object) {
    Thread me = Thread.currentThread();
    Intrinsics.atomicBegin();
    if (Intrinsics.uses("java/lang/Thread", "interrupt")) {
      boolean woken = me.woken;
      Intrinsics.await(woken | me.interrupted);
      if (!woken) remove(object, me);
    } else {
      Intrinsics.await(me.woken);
    }
    me.woken = false;
    Intrinsics.atomicEnd();
  }

  /** The end of a timed wait: whether somebody woke the thread. */
  public static boolean leave(Object object) {
    Thread me = Thread.currentThread();
    Intrinsics.atomicBegin();
    boolean woken = me.woken;
    if (!woken) remove(object, me);
    me.woken = false;
    Intrinsics.atomicEnd();
    return woken;
  }

  private static void remove(Object object, Thread me) {
    Intrinsics.atomicBegin();
    Thread other = object.firstWaiter;
    if (other == me) {
      object.firstWaiter = me.nextWaiter;
    } else {
      while (other.nextWaiter != me) other = other.nextWaiter;
      other.nextWaiter = me.nextWaiter;
    }
    me.nextWaiter = null;
    Intrinsics.atomicEnd();
  }

  public static void wakeOne(Object object) {
    if (!Intrinsics.checks("deadlock")) return;
    Intrinsics.atomicBegin();
    Thread chosen = object.firstWaiter;
    if (chosen != null) {
      Thread before = null;
      while (chosen.nextWaiter != null && Intrinsics.anyBoolean()) {
        before = chosen;
        chosen = chosen.nextWaiter;
      }
      if (before != null) before.nextWaiter = chosen.nextWaiter;
      else object.firstWaiter = chosen.nextWaiter;
      chosen.nextWaiter = null;
      chosen.woken = true;
    }
    Intrinsics.atomicEnd();
  }

  public static void wakeAll(Object object) {
    if (!Intrinsics.checks("deadlock")) return;
    Intrinsics.atomicBegin();
    Thread waiter = object.firstWaiter;
    object.firstWaiter = null;
    while (waiter != null) {
      Thread next = waiter.nextWaiter;
      waiter.nextWaiter = null;
      waiter.woken = true;
      waiter = next;
    }
    Intrinsics.atomicEnd();
  }
}
