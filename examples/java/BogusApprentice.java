// The Apprentice with a field for the container that is replaced while a job is inside: the lock of one
// container then guards the counter of another.
//
//     selvedge verify examples/java/BogusApprentice.java

class BogusContainer {
  int counter;
}

class BogusJob extends Thread {
  volatile BogusContainer container;

  BogusJob(BogusContainer container) {
    this.container = container;
  }

  @Override
  public void run() {
    synchronized (container) {
      container.counter++;
    }
  }
}

class BogusApprentice {
  public static void main(String[] args) {
    BogusContainer shared = new BogusContainer();
    BogusJob first = new BogusJob(shared);
    BogusJob second = new BogusJob(new BogusContainer());
    first.start();
    second.start();
    second.container = shared;
  }
}
