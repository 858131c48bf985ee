/* errno: one cell a thread. */

static _Thread_local int error;

int *__errno_location(void)
{
  return &error;
}
