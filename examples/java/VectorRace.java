// A vector in the manner of the early JDK: all that changes it is synchronized, and so is
// `lastIndexOf(Object, int)`. The short form reads the count without the monitor: between the read
// and the call another thread may remove everything, and an exception comes out of a method that never
// throws one.
//
//     selvedge verify examples/java/VectorRace.java

class VectorRace {
  private Object[] elements = new Object[2];
  private int count;

  synchronized void add(Object element) {
    elements[count++] = element;
  }

  synchronized void removeAll() {
    while (count > 0) elements[--count] = null;
  }

  int lastIndexOf(Object element) {
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
    VectorRace vector = new VectorRace();
    Object element = new Object();
    vector.add(element);
    new Thread(() -> vector.removeAll()).start();
    vector.lastIndexOf(element);
  }
}
