// A request that can be cancelled while it is worked on. Who completes it frees it. The worker
// completes it without asking whether the canceller has begun to, as in the driver of the paper
// on STORM: both can hold the request, and one of them uses it after it is freed.
#include <pthread.h>
#include <stdlib.h>

struct request {
    int cancelable;
    int length;
    int status;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct request *pending;

static void *cancel(void *unused) {
    pthread_mutex_lock(&lock);
    struct request *request = pending;
    pthread_mutex_unlock(&lock);
    if (request && request->cancelable)
        request->status = -1;
    return unused;
}

static void *work(void *argument) {
    struct request *request = argument;
    request->cancelable = 1;
    pthread_mutex_lock(&lock);
    pending = request;
    pthread_mutex_unlock(&lock);
    request->status = request->length;

    pthread_mutex_lock(&lock);
    pending = 0;
    pthread_mutex_unlock(&lock);
    free(request);
    return 0;
}

int main(void) {
    struct request *request = calloc(1, sizeof *request);
    pthread_t worker, canceller;
    request->length = 64;
    pthread_create(&worker, 0, work, request);
    pthread_create(&canceller, 0, cancel, 0);
    pthread_join(worker, 0);
    pthread_join(canceller, 0);
    return 0;
}
