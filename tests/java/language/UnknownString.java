// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: what a concatenation contains is not known
class UnknownString {
  public static void main(String[] args) {
    int n = 1;
    String text = "n = " + n;
    assert text.equals("n = 1");
  }
}
