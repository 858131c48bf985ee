// truth: safe
// property: exception,assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: an exception goes to the handler of its class, through a call and a finally
class Caught {
  static int trace;

  static void fails() {
    try {
      throw new IllegalStateException();
    } finally {
      trace = trace * 10 + 1;
    }
  }

  public static void main(String[] args) {
    try {
      fails();
      trace = 99;
    } catch (IllegalArgumentException wrong) {
      trace = 98;
    } catch (IllegalStateException right) {
      trace = trace * 10 + 2;
    }
    assert trace == 12;
  }
}
