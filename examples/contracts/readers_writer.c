// A readers-writer lock with the contract of figure 8 of "Modular verification of multithreaded
// programs": begin_write waits until there is neither a reader nor a writer, then makes the thread
// the writer in one step. What the lock protects is written only by its writer.
//
//     selvedge contracts examples/contracts/readers_writer.c

#include <assert.h>
#include <pthread.h>

#define MOST_READERS 1000

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int readers;      //@ unwritable_by_env_if \holder(m) == \tid;
pthread_t writer; //@ unwritable_by_env_if \holder(m) == \tid || writer == \tid;
int table;        //@ unwritable_by_env_if writer == \tid;

//@ global_invariant 0 <= readers && readers <= MOST_READERS;
//@ global_invariant writer != 0 ==> readers == 0;

/*@ modifies m;
    action: also_modifies writer; ensures writer == 0 && readers == 0 && writer' == \tid; */
void begin_write(void)
{
    int done = 0;
    while (!done) {
        pthread_mutex_lock(&m);
        if (writer == 0 && readers == 0) {
            writer = pthread_self();
            done = 1;
        }
        pthread_mutex_unlock(&m);
    }
}

/*@ requires writer == \tid;
    modifies m;
    action: also_modifies writer; ensures writer == \tid && writer' == 0; */
void end_write(void)
{
    pthread_mutex_lock(&m);
    writer = 0;
    pthread_mutex_unlock(&m);
}

/*@ modifies m;
    action: also_modifies readers; ensures writer == 0 && readers' == readers + 1; */
void begin_read(void)
{
    int done = 0;
    while (!done) {
        pthread_mutex_lock(&m);
        if (writer == 0 && readers < MOST_READERS) {
            readers = readers + 1;
            done = 1;
        }
        pthread_mutex_unlock(&m);
    }
}

/*@ modifies m;
    action: also_modifies readers; ensures readers == 0 || readers' == readers - 1; */
void end_read(void)
{
    pthread_mutex_lock(&m);
    readers = readers > 0 ? readers - 1 : 0;
    pthread_mutex_unlock(&m);
}

void *look(void *unused)
{
    begin_read();
    int seen = table;
    end_read();
    return 0;
}

void *update(void *unused)
{
    begin_write();
    table = 1;
    assert(table == 1);
    table = 2;
    assert(table == 2);
    end_write();
    return 0;
}

int main(void)
{
    for (;;) {
        pthread_t one, other;
        pthread_create(&one, 0, update, 0);
        pthread_create(&other, 0, look, 0);
    }
}
