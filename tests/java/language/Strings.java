// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe locks=safe
// why: constants are equal if their texts are, and a switch finds them
class Strings {
  static int number(String name) {
    switch (name) {
      case "one":
        return 1;
      case "two":
        return 2;
      default:
        return 0;
    }
  }

  public static void main(String[] args) {
    assert number("two") == 2;
    assert number("three") == 0;
    assert "one".equals("one");
    String text = "n = " + number("one");
    assert text != null;
  }
}
