/* What the macro assert calls when its condition does not hold, on Linux, by older C libraries and on
   macOS. A call is an error; the attribute says which argument is the text of the condition. */

__attribute__((selvedge_failure(1)))
void __assert_fail(const char *condition, const char *file, unsigned int line, const char *function)
{
  __selvedge_unsupported("__assert_fail through a pointer");
}

__attribute__((selvedge_failure(1)))
void __assert(const char *condition, const char *file, int line)
{
  __selvedge_unsupported("__assert through a pointer");
}

__attribute__((selvedge_failure(1)))
void __assert_perror_fail(int error, const char *file, unsigned int line, const char *function)
{
  __selvedge_unsupported("__assert_perror_fail through a pointer");
}

__attribute__((selvedge_failure(4)))
void __assert_rtn(const char *function, const char *file, int line, const char *condition)
{
  __selvedge_unsupported("__assert_rtn through a pointer");
}
