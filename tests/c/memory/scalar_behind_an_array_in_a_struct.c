// truth: unsafe
// property: assert
// engines: explore=unsafe contexts=unsafe tar=unsafe horn=unsafe cover=unsafe
// why: the place of the next entry goes back to 0 behind the last; a pointer to the struct is also one to its first entry, and the place stands as far behind as the array is long
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct entry {
    unsigned tick, value;
};

struct history {
    struct entry entries[2];
    unsigned next;
};

struct device {
    int open;
    struct history history;
};

static struct device *volatile device;

static void add(struct device *device, unsigned value) {
    struct history *history = &device->history;
    struct entry *entry = &history->entries[history->next];

    entry->tick = 1;
    entry->value = value;
    history->next = (history->next + 1) % 2;
    assert(history->next == 1);  // FAILS
}

static void *writer(void *unused) {
    add(device, 1);
    add(device, 2);
    return 0;
}

int main(void) {
    pthread_t thread;

    device = calloc(1, sizeof *device);
    pthread_create(&thread, 0, writer, 0);
    pthread_join(thread, 0);
    return 0;
}
