// truth: rejected
// property: assert
// error: no_such_file.h
// why: the header does not exist
#include "no_such_file.h" // ERROR
int main(void) { return 0; }
