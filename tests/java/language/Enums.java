// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: constants of an enum are objects that exist once
class Enums {
  enum Color {
    RED,
    GREEN
  }

  public static void main(String[] args) {
    Color color = Color.GREEN;
    assert color != Color.RED;
    assert color.ordinal() == 1;
  }
}
