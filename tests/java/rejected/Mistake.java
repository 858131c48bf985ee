// truth: rejected
// property: assert
// error: incompatible types
// why: javac does not accept it
class Mistake {
  public static void main(String[] args) {
    int n = "text";  // ERROR
  }
}
