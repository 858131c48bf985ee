package selvedge;

/** A thread of Plato's, or none. There are no objects of this class: the lowering knows it. */
public final class Tid {
  private Tid() {}
}
