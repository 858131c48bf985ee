/* Random numbers are inputs. rand and the family of drand48 keep their state where two threads at
   once conflict, as POSIX has it; random does not. */

static char state_of_rand, state_of_rand48;

int rand(void)
{
  if (__selvedge_checks("race"))
    state_of_rand = 0;
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(number >= 0);
  return number;
}

void srand(unsigned int seed)
{
  if (__selvedge_checks("race")) {
    __VERIFIER_atomic_begin();
    state_of_rand = 0;
    __VERIFIER_atomic_end();
  }
}

int rand_r(unsigned int *seed)
{
  *seed = __VERIFIER_nondet_uint();
  int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(number >= 0);
  return number;
}

long random(void)
{
  long number = __VERIFIER_nondet_long();
  __VERIFIER_assume(number >= 0 && number <= 2147483647);
  return number;
}

void srandom(unsigned int seed) {}

long lrand48(void)
{
  if (__selvedge_checks("race"))
    state_of_rand48 = 0;
  return random();
}

long mrand48(void)
{
  if (__selvedge_checks("race"))
    state_of_rand48 = 0;
  return __VERIFIER_nondet_int();
}

void srand48(long seed)
{
  if (__selvedge_checks("race")) {
    __VERIFIER_atomic_begin();
    state_of_rand48 = 0;
    __VERIFIER_atomic_end();
  }
}

unsigned int arc4random(void) { return __VERIFIER_nondet_uint(); }

unsigned int arc4random_uniform(unsigned int bound)
{
  unsigned int number = __VERIFIER_nondet_uint();
  __VERIFIER_assume(bound == 0 ? number == 0 : number < bound);
  return number;
}

long getrandom(void *to, unsigned long size, unsigned int flags)
{
  unsigned char *p = to;
  long got = __VERIFIER_nondet_long();
  __VERIFIER_assume(got >= -1);
  if (got >= 0)
    __VERIFIER_assume((unsigned long)got <= size);
  for (long i = 0; i < got; i++)
    p[i] = __VERIFIER_nondet_uchar();
  return got;
}
