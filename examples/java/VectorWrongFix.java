// A vector in the manner of the early JDK: all that changes it is synchronized, and so is
// `lastIndexOf(Object, int)`. The short form reads the count inside of the monitor, but leaves it before
// the call: no race is left, and the exception still comes.
//
//     selvedge verify examples/java/VectorWrongFix.java

class VectorWrongFix {
  private Object[] elements = new Object[2];
  private int count;

  synchronized void add(Object element) {
    elements[count++] = element;
  }

  synchronized void removeAll() {
    while (count > 0) elements[--count] = null;
  }

  int lastIndexOf(Object element) {
    int last;
    synchronized (this) {
      last = count - 1;
    }
    return lastIndexOf(element, last);
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
    VectorWrongFix vector = new VectorWrongFix();
    Object element = new Object();
    vector.add(element);
    new Thread(() -> vector.removeAll()).start();
    vector.lastIndexOf(element);
  }
}
