package java.lang;

public class AssertionError extends Error {
  private static final long serialVersionUID = -5013299493970297370L;

  public AssertionError() {}

  public AssertionError(Object message) {
    super(String.valueOf(message));
    if (message instanceof Throwable) initCause((Throwable) message);
  }

  public AssertionError(boolean message) {}

  public AssertionError(char message) {}

  public AssertionError(int message) {}

  public AssertionError(long message) {}

  public AssertionError(float message) {}

  public AssertionError(double message) {}

  public AssertionError(String message, Throwable cause) {
    super(message, cause);
  }
}
