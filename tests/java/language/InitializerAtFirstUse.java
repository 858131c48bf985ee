// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work) cover=safe locks=safe
// why: an initialiser sees what was written before the first use of its class
class InitializerAtFirstUse {
  static class Item {
    static int count;
    static final int[] SEEN = {0};
    int number;

    Item() {
      number = count;
    }

    Item(int[] where) {
      int[] own = new int[] {1};
      where[0] = own[0];
    }
  }

  static class Late {
    static final Item ITEM = new Item();
    static final Item WRITES = new Item(Item.SEEN);
  }

  public static void main(String[] args) {
    Item.count = 5;
    assert Item.SEEN[0] == 0;
    assert Late.ITEM.number == 5;
    assert Item.SEEN[0] == 1;
  }
}
