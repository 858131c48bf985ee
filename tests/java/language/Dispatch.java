// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: a call runs the method of the object's class
class Dispatch {
  interface Shape {
    int area();

    default int twice() {
      return 2 * area();
    }
  }

  static class Square implements Shape {
    final int side;

    Square(int side) {
      this.side = side;
    }

    public int area() {
      return side * side;
    }
  }

  static class Empty implements Shape {
    public int area() {
      return 0;
    }

    public int twice() {
      return -1;
    }
  }

  public static void main(String[] args) {
    Shape[] shapes = {new Square(3), new Empty()};
    assert shapes[0].twice() == 18;
    assert shapes[1].twice() == -1;
  }
}
