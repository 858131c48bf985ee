/* The functions behind <stdatomic.h>'s macros that are functions in their own right. All orders are
   sequentially consistent, so fences do nothing. */

void atomic_thread_fence(int order) {}
void atomic_signal_fence(int order) {}
