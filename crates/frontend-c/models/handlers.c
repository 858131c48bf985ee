/* What the macros pthread_cleanup_push and pthread_cleanup_pop of glibc's <pthread.h> call. They
   keep the function and its argument in locals, which the registration is given, too. Nobody
   jumps back to where a handler was pushed: pthread_exit runs the handlers itself. */

typedef struct __selvedge_handler {
  int __cancel_jmp_buf[1];
  void (*routine)(void *);
  void *argument;
  struct __selvedge_handler *next;
} __pthread_unwind_buf_t;

static _Thread_local __pthread_unwind_buf_t *handlers;

int __sigsetjmp_cancel(void *environment, int mask)
{
  return 0;
}

__attribute__((selvedge_locals(__cancel_routine, __cancel_arg)))
void __pthread_register_cancel(__pthread_unwind_buf_t *handler, void (*routine)(void *),
                               void *argument)
{
  handler->routine = routine;
  handler->argument = argument;
  handler->next = handlers;
  handlers = handler;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *handler)
{
  handlers = handler->next;
}

void __pthread_unwind_next(__pthread_unwind_buf_t *handler)
{
  __selvedge_unsupported("going on with the end of a thread");
}

/* The last one first, each off the list before it runs. */
void __selvedge_run_handlers(void)
{
  while (handlers) {
    __pthread_unwind_buf_t *handler = handlers;
    handlers = handler->next;
    handler->routine(handler->argument);
  }
}
