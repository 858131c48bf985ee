// truth: safe
// property: assert
// engines: explore=unknown(unsupported) contexts=unknown(unsupported) tar=unknown(unsupported) horn=unknown(unsupported) cover=unknown(unsupported)
// why: the member is one that only `contracts` follows
struct lock {
  /*@ ghost pthread_t writer;
      ghost \set<thread> readers; */
  int writing;
} lock;
int main(void) {
  lock.writing = 0;
  //@ assert lock.writer == 0 && lock.writing == 0;
  return 0;
}
