/* As time_varying_lock.c, but the block is written before it is made busy. */
#include <pthread.h>

static pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static int inode;
static int busy;
static int block;

static void *use(void *unused)
{
    while (1) {
        pthread_mutex_lock(&inode_lock);
        block = 1;
        if (inode == 0) {
            pthread_mutex_lock(&busy_lock);
            busy = 1;
            pthread_mutex_unlock(&busy_lock);
            inode = 1;
        }
        pthread_mutex_unlock(&inode_lock);
    }
    return 0;
}

static void *clear(void *unused)
{
    while (1) {
        pthread_mutex_lock(&busy_lock);
        if (busy == 0)
            block = 0;
        pthread_mutex_unlock(&busy_lock);
    }
    return 0;
}

int main(void)
{
    pthread_t u, c;
    pthread_create(&u, 0, use, 0);
    pthread_create(&c, 0, clear, 0);
    pthread_join(u, 0);
    pthread_join(c, 0);
    return 0;
}
