package java.lang;

public class Throwable implements java.io.Serializable {
  private static final long serialVersionUID = -3042686055658047285L;

  /** Where it was made; the lowering knows this field. */
  int site;
  private String message;
  private Throwable cause;

  public Throwable() {}

  public Throwable(String message) {
    this.message = message;
  }

  public Throwable(String message, Throwable cause) {
    this.message = message;
    this.cause = cause;
  }

  public Throwable(Throwable cause) {
    this.cause = cause;
  }

  protected Throwable(
      String message, Throwable cause, boolean enableSuppression, boolean writableStackTrace) {
    this.message = message;
    this.cause = cause;
  }

  public String getMessage() {
    return message;
  }

  public String getLocalizedMessage() {
    return getMessage();
  }

  public Throwable getCause() {
    return cause;
  }

  public Throwable initCause(Throwable cause) {
    this.cause = cause;
    return this;
  }

  public String toString() {
    return new String();
  }

  public void printStackTrace() {}

  public Throwable fillInStackTrace() {
    return this;
  }

  public final void addSuppressed(Throwable exception) {}
}
