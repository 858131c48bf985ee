// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: doubles as IEEE 754 has them
class Floats {
  public static void main(String[] args) {
    double tenth = 0.1;
    assert tenth + 0.2 != 0.3;
    assert (int) 2.9 == 2;
    double none = 0.0 / (tenth - tenth);
    assert none != none;
    assert (int) none == 0;
    float large = 1e30f;
    assert (long) large == Long.MAX_VALUE;
  }
}
