// truth: safe
// property: memory
// engines: explore=safe contexts=unknown(bound) tar=safe horn=safe cover=safe
// why: whichever routine the thread finds, it is one; a pointer that several threads write is never anything else
#include <assert.h>
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

    found();
    return 0;
}

int main(void) {
    pthread_t thread;

    routine = first;
    pthread_create(&thread, 0, caller, 0);
    routine = second;
    pthread_join(thread, 0);
    assert(last != 0);
    return 0;
}
