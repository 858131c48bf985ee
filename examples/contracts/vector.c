// A vector after java.util.Vector (section 7.3 of "Modular verification of multithreaded programs"),
// with a method that looks for the last occurrence of an element. Compiled with -DRACE it has the
// race that Calvin found in the library, and with -DWRONG_FIX the repair that race detectors accept.
//
//     selvedge contracts --property assert,memory examples/contracts/vector.c
//     selvedge contracts --property assert,memory -DRACE examples/contracts/vector.c
//     selvedge contracts --property assert,memory -DWRONG_FIX examples/contracts/vector.c

#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct vector {
    pthread_mutex_t lock;
    int count; //@ unwritable_by_env_if \holder(lock) == \tid;
    int *data; //@ unwritable_by_env_if \holder(lock) == \tid;
};

/*@ global_invariant \forall struct vector *v; v->data != 0;
    global_invariant \forall struct vector *v; 0 <= v->count && v->count <= \length(v->data); */

/*@ requires v != 0 && \holder(v->lock) == \tid && index < v->count;
    ensures \result >= -1; */
int last_index_from(struct vector *v, int element, int index)
{
    for (int i = index; i >= 0; i--)
        if (v->data[i] == element)
            return i;
    return -1;
}

int last_index_of(struct vector *v, int element)
{
    int found;
#if defined RACE
    int last = v->count - 1;
    pthread_mutex_lock(&v->lock);
    found = last_index_from(v, element, last);
    pthread_mutex_unlock(&v->lock);
#elif defined WRONG_FIX
    pthread_mutex_lock(&v->lock);
    int last = v->count - 1;
    pthread_mutex_unlock(&v->lock);
    pthread_mutex_lock(&v->lock);
    found = last_index_from(v, element, last);
    pthread_mutex_unlock(&v->lock);
#else
    pthread_mutex_lock(&v->lock);
    found = last_index_from(v, element, v->count - 1);
    pthread_mutex_unlock(&v->lock);
#endif
    return found;
}

void remove_all(struct vector *v)
{
    pthread_mutex_lock(&v->lock);
    v->count = 0;
    pthread_mutex_unlock(&v->lock);
}

void trim_to_size(struct vector *v)
{
    pthread_mutex_lock(&v->lock);
    v->count = 0;
    v->data = calloc(1, sizeof(int));
    pthread_mutex_unlock(&v->lock);
}

/*@ requires argument != 0; */
void *user(void *argument)
{
    struct vector *v = argument;
    last_index_of(v, __VERIFIER_nondet_int());
    return 0;
}

/*@ requires argument != 0; */
void *cleaner(void *argument)
{
    struct vector *v = argument;
    remove_all(v);
    trim_to_size(v);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    struct vector *v = calloc(1, sizeof *v);
    v->data = calloc(10, sizeof(int));
    v->count = 10;
    pthread_create(&a, 0, user, v);
    pthread_create(&b, 0, cleaner, v);
    return 0;
}
