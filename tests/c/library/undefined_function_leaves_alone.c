// truth: safe
// property: assert
// engines: explore=safe contexts=unknown(bound) tar=safe horn=unknown(work limit) cover=unknown(work limit)
// why: a function that is defined nowhere writes only what its arguments lead to, and no constants
#include <assert.h>
#include <pthread.h>
struct operations { int version; void (*open)(void); };
struct list { int length; struct list *next; };
struct device { const char *name; const struct operations *operations; struct list *list; };
int enlist(struct device *device);
static struct operations operations = {7, 0};
static struct list head = {0, &head};
static struct list other = {5, &head};
static struct device device = {"device", &operations, &head};
void *watch(void *argument) {
  assert(other.length == 5 && other.next == &head);
  assert(operations.version == 7 && operations.open == 0);
  return argument;
}
int main(void) {
  pthread_t watcher;
  enlist(&device);
  pthread_create(&watcher, 0, watch, 0);
  pthread_join(watcher, 0);
}
