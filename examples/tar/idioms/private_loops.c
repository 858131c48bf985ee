/*
 * Loops over private numbers that may wrap around, beside data under a lock. Neither what they count
 * nor what they add has to do with a race.
 */
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, ready, history[16];
static void *work(void *unused) {
  int i, j, sum = 0, n = __VERIFIER_nondet_int();
  for (i = 0; i < n; i++) {
    sum += i;
    for (j = i; j > 0; j--)
      sum ^= j;
  }
  pthread_mutex_lock(&lock);
  total = total + sum;
  if (total > 100)
    total = 0;
  for (i = 0; i < 16; i++)
    history[i] += sum;
  ready = 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
static void *look(void *unused) {
  int k, seen = 0, count = 0;
  pthread_mutex_lock(&lock);
  if (ready) {
    seen = total;
    for (k = 0; k < 16; k++)
      count += history[k];
  }
  pthread_mutex_unlock(&lock);
  while (seen > 0) {
    seen = seen - 3;
    count++;
  }
  return 0;
}
int main(void) {
  pthread_t thread;
  while (1) {
    switch (__VERIFIER_nondet_int()) {
    case 0:
      pthread_create(&thread, 0, work, 0);
      break;
    case 1:
      pthread_create(&thread, 0, look, 0);
      break;
    }
  }
}
