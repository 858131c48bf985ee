/* A writer waits until nobody reads, and readers wait for it. */
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;
static int writing;
static int data;
static void *reader(void *unused) {
  pthread_mutex_lock(&lock);
  while (writing)
    pthread_cond_wait(&changed, &lock);
  readers++;
  pthread_mutex_unlock(&lock);
  int seen = data;
  pthread_mutex_lock(&lock);
  readers--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}
static void *writer(void *unused) {
  pthread_mutex_lock(&lock);
  while (writing || readers > 0)
    pthread_cond_wait(&changed, &lock);
  writing = 1;
  pthread_mutex_unlock(&lock);
  data = 1;
  pthread_mutex_lock(&lock);
  writing = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t thread;
  while (__VERIFIER_nondet_int())
    pthread_create(&thread, 0, __VERIFIER_nondet_int() ? reader : writer, 0);
  pthread_exit(0);
}
