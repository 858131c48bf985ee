// truth: unsafe
// property: exception
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: an Integer is no String
class WrongCast {
  public static void main(String[] args) {
    Object object = Integer.valueOf(5);
    String string = (String) object;  // FAILS
  }
}
