package java.io;

/** What is written is of no interest. Objects are asked for their strings. */
public class PrintStream {
  public PrintStream() {}

  public void println() {}

  public void println(boolean value) {}

  public void println(char value) {}

  public void println(int value) {}

  public void println(long value) {}

  public void println(float value) {}

  public void println(double value) {}

  public void println(String value) {}

  public void println(Object value) {
    String.valueOf(value);
  }

  public void print(boolean value) {}

  public void print(char value) {}

  public void print(int value) {}

  public void print(long value) {}

  public void print(float value) {}

  public void print(double value) {}

  public void print(String value) {}

  public void print(Object value) {
    String.valueOf(value);
  }

  public PrintStream printf(String format, Object... arguments) {
    String.format(format, arguments);
    return this;
  }

  public PrintStream format(String format, Object... arguments) {
    return printf(format, arguments);
  }

  public void flush() {}
}
