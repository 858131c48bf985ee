/* errno: one cell a thread. Only programs that look at it pay for setting it. */

static _Thread_local int error;

int *__errno_location(void)
{
  return &error;
}

void __selvedge_set_errno(int number)
{
  if (__selvedge_uses("__errno_location"))
    error = number;
}
