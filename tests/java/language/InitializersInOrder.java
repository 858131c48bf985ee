// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an initialiser runs behind those of the classes that it makes use of
class InitializersInOrder {
  static final Table TABLE = new Table();

  static class Table {
    static final int[] NONE = {};
    static final int[] ONE = new int[] {7};
    int[] elements;
    int first;

    Table() {
      elements = NONE;
      first = length(ONE);
    }

    static int length(int[] of) {
      return of == null ? 0 : 1;
    }
  }

  public static void main(String[] args) {
    assert TABLE.elements != null;
    assert TABLE.elements.length == 0;
    assert TABLE.first == 1;
  }
}
