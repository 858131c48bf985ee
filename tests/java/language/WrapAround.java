// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: int and long wrap around
class WrapAround {
  public static void main(String[] args) {
    int most = Integer.MAX_VALUE;
    most++;
    assert most == Integer.MIN_VALUE;
    long wide = Long.MAX_VALUE;
    wide++;
    assert wide == Long.MIN_VALUE;
    int big = 200;
    int minus = -1;
    assert (byte) big == -56;
    assert (char) minus == 65535;
    assert Integer.MIN_VALUE / minus == Integer.MIN_VALUE;
    assert -7 / 2 == -3 && -7 % 2 == -1;
    assert 1 << 33 == 2;
    assert -1 >>> 28 == 15;
    assert -1 >> 5 == -1;
  }
}
