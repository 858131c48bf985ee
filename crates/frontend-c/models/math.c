/* <math.h>, as far as IEEE 754 says exactly what comes out. What is only close to the right number in
   some implementation has no model. A function on float goes by way of double where that is
   exact. */

double fabs(double x) { return __builtin_fabs(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
double copysign(double x, double y) { return __builtin_copysign(x, y); }
float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
double nan(const char *tag) { return __builtin_nan(""); }
float nanf(const char *tag) { return __builtin_nanf(""); }

int isnan(double x) { return __builtin_isnan(x); }
int __isnan(double x) { return __builtin_isnan(x); }
int __isnanf(float x) { return __builtin_isnan(x); }
int isinf(double x) { return __builtin_isinf_sign(x); }
int __isinf(double x) { return __builtin_isinf_sign(x); }
int __isinff(float x) { return __builtin_isinf_sign(x); }
int finite(double x) { return __builtin_isfinite(x); }
int __finite(double x) { return __builtin_isfinite(x); }
int __finitef(float x) { return __builtin_isfinite(x); }
int __signbit(double x) { return __builtin_signbit(x); }
int __signbitf(float x) { return __builtin_signbit(x); }
int __fpclassify(double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
int __fpclassifyf(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }

/* EDOM */
static void __selvedge_domain(void) { __selvedge_set_errno(33); }
/* ERANGE */
static void __selvedge_range(void) { __selvedge_set_errno(34); }

double sqrt(double x)
{
  if (x < 0)
    __selvedge_domain();
  return __builtin_sqrt(x);
}

float sqrtf(float x)
{
  if (x < 0)
    __selvedge_domain();
  return __builtin_sqrtf(x);
}

double fmod(double x, double y)
{
  if (y == 0 || __builtin_isinf(x))
    __selvedge_domain();
  return __builtin_fmod(x, y);
}

float fmodf(float x, float y)
{
  if (y == 0 || __builtin_isinf(x))
    __selvedge_domain();
  return __builtin_fmodf(x, y);
}

/* From 2^52 on every number is whole. */
double trunc(double x)
{
  if (!(__builtin_fabs(x) < 4503599627370496.0))
    return x;
  return __builtin_copysign((double)(long long)x, x);
}

double floor(double x)
{
  double whole = trunc(x);
  return whole > x ? whole - 1 : whole;
}

double ceil(double x)
{
  double whole = trunc(x);
  return whole < x ? __builtin_copysign(whole + 1, x) : whole;
}

/* A half goes away from zero. */
double round(double x)
{
  double whole = trunc(x);
  if (__builtin_fabs(x - whole) >= 0.5)
    return whole + __builtin_copysign(1, x);
  return whole;
}

/* A half goes to the even neighbour: the sum has no bits behind the point. */
double rint(double x)
{
  double far = __builtin_copysign(4503599627370496.0, x);
  if (!(__builtin_fabs(x) < 4503599627370496.0))
    return x;
  return __builtin_copysign((x + far) - far, x);
}

double nearbyint(double x) { return rint(x); }
double roundeven(double x) { return rint(x); }
float truncf(float x) { return (float)trunc(x); }
float floorf(float x) { return (float)floor(x); }
float ceilf(float x) { return (float)ceil(x); }
float roundf(float x) { return (float)round(x); }
float rintf(float x) { return (float)rint(x); }
float nearbyintf(float x) { return (float)rint(x); }

static long __selvedge_long(double x)
{
  double limit = sizeof(long) == 8 ? 9223372036854775808.0 : 2147483648.0;
  if (!(-limit <= x && x < limit))
    __selvedge_unsupported("rounding to an integer type that does not have the number");
  return (long)x;
}

static long long __selvedge_long_long(double x)
{
  if (!(-9223372036854775808.0 <= x && x < 9223372036854775808.0))
    __selvedge_unsupported("rounding to an integer type that does not have the number");
  return (long long)x;
}

long lround(double x) { return __selvedge_long(round(x)); }
long lroundf(float x) { return __selvedge_long(round(x)); }
long lrint(double x) { return __selvedge_long(rint(x)); }
long lrintf(float x) { return __selvedge_long(rint(x)); }
long long llround(double x) { return __selvedge_long_long(round(x)); }
long long llroundf(float x) { return __selvedge_long_long(round(x)); }
long long llrint(double x) { return __selvedge_long_long(rint(x)); }
long long llrintf(float x) { return __selvedge_long_long(rint(x)); }

/* Which of two zeros comes out is left open by C; it is the first here. */
double fmin(double x, double y)
{
  if (__builtin_isnan(x))
    return y;
  return y < x ? y : x;
}

double fmax(double x, double y)
{
  if (__builtin_isnan(x))
    return y;
  return y > x ? y : x;
}

float fminf(float x, float y) { return (float)fmin(x, y); }
float fmaxf(float x, float y) { return (float)fmax(x, y); }
double fdim(double x, double y) { return x <= y ? 0 : x - y; }

double modf(double x, double *whole)
{
  *whole = trunc(x);
  return __builtin_copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole)
{
  *whole = truncf(x);
  return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}

/* Two to a power from -1022 to 1023. */
static double __selvedge_power(int n)
{
  union { unsigned long long bits; double number; } power;
  power.bits = (unsigned long long)(1023 + n) << 52;
  return power.number;
}

/* Only the last factor may round. */
double ldexp(double x, int n)
{
  double y = x;
  if (x == 0 || !__builtin_isfinite(x))
    return x;
  if (n > 4000)
    n = 4000;
  if (n < -4000)
    n = -4000;
  while (n > 1023) {
    y = y * 0x1p1023;
    n = n - 1023;
  }
  while (n < -1022) {
    y = y * (0x1p-1022 * 0x1p53);
    n = n + (1022 - 53);
  }
  y = y * __selvedge_power(n);
  if (y == 0 || !__builtin_isfinite(y))
    __selvedge_range();
  return y;
}

double scalbn(double x, int n) { return ldexp(x, n); }

double frexp(double x, int *n)
{
  union { unsigned long long bits; double number; } parts;
  int more = 0;
  *n = 0;
  if (x == 0 || !__builtin_isfinite(x))
    return x;
  if (__builtin_fabs(x) < 0x1p-1022) {
    x = x * 0x1p54;
    more = 54;
  }
  parts.number = x;
  *n = (int)((parts.bits >> 52) & 2047) - 1022 - more;
  parts.bits = (parts.bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull;
  return parts.number;
}


/* <fenv.h>: numbers round to the nearest, and no exception is seen. */
int fesetround(int mode)
{
  if (mode != 0)
    __selvedge_unsupported("another rounding mode");
  return 0;
}

int fegetround(void) { return 0; }
int feclearexcept(int which) { return 0; }
