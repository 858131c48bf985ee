/* The functions behind <stdatomic.h>'s macros that are functions in their own right. Orders have gcc's numbers:
   0 relaxed, 1 consume, 2 acquire, 3 release, 4 both, 5 sequentially consistent. */

void atomic_thread_fence(int order)
{
  if (order == 1 || order == 2)
    __atomic_thread_fence(2);
  else if (order == 3)
    __atomic_thread_fence(3);
  else if (order == 4)
    __atomic_thread_fence(4);
  else if (order != 0)
    __atomic_thread_fence(5);
}

void atomic_signal_fence(int order) {}
