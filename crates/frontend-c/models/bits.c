/* gcc's bit counting and byte swapping, for arguments that are not constants. An argument narrower
   than 64 bits is extended with zeroes; `width` is the width that it had. */

int __selvedge_popcount(unsigned long long x)
{
  x = x - ((x >> 1) & 0x5555555555555555ull);
  x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return (int)((x * 0x0101010101010101ull) >> 56);
}

int __selvedge_parity(unsigned long long x)
{
  return __selvedge_popcount(x) & 1;
}

/* Undefined for zero in C. */
int __selvedge_ctz(unsigned long long x)
{
  if (x == 0)
    __selvedge_unsupported("counting the trailing zeroes of zero");
  return __selvedge_popcount(~x & (x - 1));
}

int __selvedge_clz(unsigned long long x, int width)
{
  if (x == 0)
    __selvedge_unsupported("counting the leading zeroes of zero");
  x = x | (x >> 1);
  x = x | (x >> 2);
  x = x | (x >> 4);
  x = x | (x >> 8);
  x = x | (x >> 16);
  x = x | (x >> 32);
  return width - __selvedge_popcount(x);
}

int __selvedge_ffs(unsigned long long x)
{
  int found = 0;
  if (x != 0)
    found = __selvedge_popcount(~x & (x - 1)) + 1;
  return found;
}

unsigned long long __selvedge_bswap(unsigned long long x, int width)
{
  x = ((x & 0x00ff00ff00ff00ffull) << 8) | ((x >> 8) & 0x00ff00ff00ff00ffull);
  x = ((x & 0x0000ffff0000ffffull) << 16) | ((x >> 16) & 0x0000ffff0000ffffull);
  x = (x << 32) | (x >> 32);
  return x >> (64 - width);
}

/* Whether the exact result of an operation (0 adds, 1 subtracts, 2 multiplies) is above `most` or
   below minus `least`. The operands are the numbers modulo 2^64; a flag says which are negative. */
int __selvedge_overflows(int operation, int a_negative, unsigned long long a, int b_negative,
                         unsigned long long b, unsigned long long most, unsigned long long least)
{
  unsigned long long size;
  int negative;
  if (a_negative)
    a = -a;
  if (b_negative)
    b = -b;
  if (operation == 1)
    b_negative = !b_negative;
  if (operation == 2) {
    if (b != 0 && a > (unsigned long long)-1 / b)
      return 1;
    size = a * b;
    negative = a_negative != b_negative;
  } else if (a_negative == b_negative) {
    size = a + b;
    if (size < a)
      return 1;
    negative = a_negative;
  } else if (a >= b) {
    size = a - b;
    negative = a_negative;
  } else {
    size = b - a;
    negative = b_negative;
  }
  return negative ? size > least : size > most;
}
