/* Whoever uses the interface of SV-COMP uses abort to say that an execution is not of interest; for all
   others it is how their own checks fail. */

void abort(void)
{
  if (!__selvedge_uses("__VERIFIER_"))
    __selvedge_check(0, "assert", "abort is called");
  __selvedge_halt();
}

/* __builtin_trap */
void __selvedge_trap(void)
{
  if (!__selvedge_uses("__VERIFIER_"))
    __selvedge_check(0, "assert", "__builtin_trap is called");
  __selvedge_halt();
}
