// Threads enter jobs into a container, each under the container's lock, and count what they have done.
// The `counter` of the container changes only under the lock, so no job is lost.
//
//     selvedge verify examples/java/Apprentice.java
//
// BogusApprentice.java has the same, where another object is put in the container's place.

class Container {
  int counter;
}

class Job extends Thread {
  private final Container container;

  Job(Container container) {
    this.container = container;
  }

  private void enter() {
    synchronized (container) {
      int before = container.counter;
      container.counter++;
      assert container.counter == before + 1;
    }
  }

  @Override
  public void run() {
    enter();
  }
}

class Apprentice {
  public static void main(String[] args) throws InterruptedException {
    Container container = new Container();
    Job first = new Job(container);
    Job second = new Job(container);
    first.start();
    second.start();
    first.join();
    second.join();
    assert container.counter == 2;
  }
}
