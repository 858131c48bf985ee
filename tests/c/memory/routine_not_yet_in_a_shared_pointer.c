// truth: unsafe
// property: memory
// engines: explore=unsafe contexts=unsafe tar=unknown(unsupported) horn=unsafe cover=unknown(unsupported)
// why: the thread may look before there is a routine
#include <pthread.h>

static void (*_Atomic routine)(void);
static int last;

static void first(void) {
    last = 1;
}

static void second(void) {
    last = 2;
}

static void *caller(void *unused) {
    void (*found)(void) = routine;

    found();  // FAILS
    return 0;
}

int main(void) {
    pthread_t thread;

    pthread_create(&thread, 0, caller, 0);
    routine = second;
    pthread_join(thread, 0);
    return 0;
}
