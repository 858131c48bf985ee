// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe locks=safe
// why: conversion to _Bool is "is not zero"
#include <assert.h>
#include <stdbool.h>
int main(void) {
  bool b = 2;
  assert(b == true && sizeof b == 1);
  b = 0x100;
  assert(b);
  int *p = &(int){0};
  b = p;
  assert(b);
  b = !b;
  assert(b == false && b + 1 == 1);
}
