// A vector in the manner of the early JDK: all that changes it is synchronized, and so is
// `lastIndexOf(Object, int)`. So is the short form: it enters the monitor once for both steps.
//
//     selvedge verify examples/java/VectorFixed.java

class VectorFixed {
  private Object[] elements = new Object[2];
  private int count;

  synchronized void add(Object element) {
    elements[count++] = element;
  }

  synchronized void removeAll() {
    while (count > 0) elements[--count] = null;
  }

  synchronized int lastIndexOf(Object element) {
    return lastIndexOf(element, count - 1);
  }

  synchronized int lastIndexOf(Object element, int from) {
    if (from >= count)
      throw new IndexOutOfBoundsException();
    for (int i = from; i >= 0; i--) {
      if (elements[i] == element) return i;
    }
    return -1;
  }

  public static void main(String[] args) {
    VectorFixed vector = new VectorFixed();
    Object element = new Object();
    vector.add(element);
    new Thread(() -> vector.removeAll()).start();
    vector.lastIndexOf(element);
  }
}
