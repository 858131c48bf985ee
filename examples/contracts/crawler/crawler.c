// A web crawler in the manner of Mercator, the program of section 7.2 of "Modular verification of
// multithreaded programs". Workers take addresses from a frontier, fetch pages, keep them in a store and
// put the links that they find back into the frontier. A background thread writes finished pages to the
// disk and keeps the store in order. Two readers-writer locks protect the table of hosts and the set of
// fingerprints of addresses that were seen; smaller things have mutexes.
//
//     selvedge contracts --property assert,memory examples/contracts/crawler/crawler.c
//
// With one of these macros it has a mistake that is found:
//
//     -DBUG_EARLY_UNLOCK     the frontier is used after its lock is released
//     -DBUG_READ_LOCK        the set of fingerprints is written under the lock for readers
//     -DBUG_WRONG_LOCK       a member of a host is written under the lock of the statistics
//     -DBUG_NO_LOCK          a counter is incremented without a lock
//     -DBUG_ORDER            a page is given away before its content is complete
//     -DBUG_BOUNDS           the last event of a full log is written behind its end

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

#include "shared.h"
#include "frontier.h"
#include "hosts.h"
#include "pages.h"
#include "services.h"
#include "documents.h"

// ---------------------------------------------------------------------------------------------------
// Workers
// ---------------------------------------------------------------------------------------------------

#define STATISTICS statistics, fetched, failed, duplicates, links, bytes
#define NAMING naming, addresses, address_host, address_path, address_print
#define SEEN_LOCK seen_lock.guard, seen_lock.writer, seen_lock.readers
#define SEEN SEEN_LOCK, fingerprints, seen
#define FRONTIER frontier, first, waiting, deepest, refused, ring
#define TABLE_LOCK table_lock.guard, table_lock.writer, table_lock.readers
#define TABLE TABLE_LOCK, known_hosts, \forall struct host *h; h->number
#define LOG logging, events, lost_events, event_kind, event_value
#define IS_OUTSIDE (!\in(\tid, seen_lock.readers))

pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
int stopping; //@ unwritable_by_env_if \holder(ending) == \tid;
int running;  //@ unwritable_by_env_if \holder(ending) == \tid;

// Who stops the crawler does so for good.
/*@ env_assumption stopping ==> stopping';
    global_invariant 0 <= running && running <= MOST_COUNTED; */

/*@ modifies ending, running; */
void enter_work(void)
{
    pthread_mutex_lock(&ending);
    running = plus(running, 1);
    pthread_mutex_unlock(&ending);
}

/*@ modifies ending, running; */
void leave_work(void)
{
    pthread_mutex_lock(&ending);
    running = running > 0 ? running - 1 : 0;
    pthread_mutex_unlock(&ending);
}

/*@ modifies ending;
    action: also_modifies stopping; ensures stopping' == 1; */
void stop(void)
{
    pthread_mutex_lock(&ending);
    stopping = 1;
    pthread_mutex_unlock(&ending);
}

int is_stopping(void)
{
    pthread_mutex_lock(&ending);
    int now = stopping;
    pthread_mutex_unlock(&ending);
    return now;
}

// Whether the crawler has nothing more to do, or has failed too often.
/*@ requires configured;
    modifies ending, statistics; */
int is_over(void)
{
    if (is_stopping() || is_enough())
        return 1;
    return failure_rate() > 90;
}

// Puts a link into the frontier, unless its address was seen before.
/*@ requires host >= 0 && path >= 0 && depth >= 0;
    modifies NAMING, SEEN, FRONTIER, statistics, duplicates; */
void follow(int host, int path, int depth)
{
    int print = fingerprint(host, path);
    if (was_seen(print) || !enter(print)) {
        count_duplicate();
        return;
    }
    int name = name_address(host, path);
    if (name >= 0)
        put(name, depth);
}

// Moves an address from the frontier to the queue of its host; whether one was waiting.
/*@ modifies frontier, first, waiting, TABLE, \forall struct host *h; h->lock,
             \forall struct host *h; h->queue, \forall struct host *h; h->queued; */
int distribute(void)
{
    int depth = next_depth();
    int name = take();
    if (name < 0 || depth < 0 || name >= count_addresses())
        return 0;
    int place = place_of_host(host_of(name));
    if (place >= 0)
        queue_link(host_at(place), name, depth);
    return 1;
}

// Follows the links that were found in a document.
/*@ requires HAS_ROOM(found) && 0 <= count && count <= MOST_LINKS && 0 <= depth && depth <= 101;
    modifies NAMING, SEEN, FRONTIER, statistics, duplicates; */
void follow_all(struct found *found, int count, int depth)
{
    //@ loop invariant 0 <= i;
    for (int i = 0; i < count; i++)
        follow(found[i].host, found[i].path, depth);
}

// Keeps a document and follows its links.
/*@ requires IS_TEXT(text) && 0 <= depth && depth <= 100;
    modifies NAMING, SEEN, FRONTIER, STATISTICS,
             store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner,
             \forall struct page *p; p->name, \forall struct page *p; p->size, \forall struct page *p; p->sum,
             \forall struct found *f; f->host, \forall struct found *f; f->path; */
void process(char *text, int name, int depth)
{
    int length = length_of(text);
    int sum = sum_of(text, length);
    if (!keep_page(name, length, sum))
        count_failure();
    count_page(length);
    struct found *found = make_room();
    if (found == 0)
        return;
    int count = find_links(text, found);
    count_links(count);
    follow_all(found, count, depth + 1);
}

// Fetches the document of an address; nothing if the host does not want that, or does not answer.
/*@ requires IS_HOST(h) && 0 <= name && name < addresses && 0 <= now && now <= 1000000000;
    modifies LOG, names, hits, misses, oldest, answers, bandwidth, tokens, throttled, ruling,
             h->lock, h->errors, h->next_visit, statistics, failed;
    ensures \result == 0 || IS_TEXT(\result); */
char *visit(struct host *h, int name, int now)
{
    int host = host_of(name);
    int path = path_of(name);
    if (!is_allowed(host, path) || !use_tokens(1)) {
        log_event(WAITED, name);
        return 0;
    }
    char *text = fetch(resolve(host, now), path);
    if (text == 0) {
        note_error(h);
        count_failure();
        log_event(FAILED, name);
        return 0;
    }
    note_answer(h);
    log_event(FETCHED, name);
    return text;
}

// Works on one link of a host, if it is polite to visit it now.
/*@ requires configured && IS_HOST(h) && 0 <= now && now <= 1000000000;
    modifies LOG, names, hits, misses, oldest, answers, bandwidth, tokens, throttled, ruling,
             h->lock, h->errors, h->next_visit, h->visits, h->queue, h->queued,
             NAMING, SEEN, FRONTIER, STATISTICS,
             store, claims, losses, \forall struct page *p; p->state, \forall struct page *p; p->owner,
             \forall struct page *p; p->name, \forall struct page *p; p->size, \forall struct page *p; p->sum,
             \forall struct found *f; f->host, \forall struct found *f; f->path; */
void serve(struct host *h, int now)
{
    if (is_given_up(h) || !may_visit(h, now))
        return;
    struct link *l = unqueue_link(h);
    if (l == 0 || l->depth > most_depth || l->name >= count_addresses())
        return;
    char *text = visit(h, l->name, now);
    if (text != 0)
        process(text, l->name, l->depth);
}

// A worker goes from host to host until the crawler is over.
/*@ requires configured; */
void *work(void *unused)
{
    int place = 0;
    enter_work();
    log_event(STARTED, place);
    //@ loop invariant 0 <= place;
    while (!is_over()) {
        int count = count_hosts();
        int now = within(__VERIFIER_nondet_int(), 0, 1000000000);
        place = place < count - 1 ? place + 1 : 0;
        if (place < count)
            serve(host_at(place), now);
        if (!distribute() && count_queued() == 0)
            stop();
    }
    log_event(STOPPED, place);
    leave_work();
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// The background thread
// ---------------------------------------------------------------------------------------------------

// Brings pages to the disk, keeps it in order, and renews what workers use up.
void *tidy(void *unused)
{
    while (!is_stopping()) {
        if (flush_page()) {
            log_event(FLUSHED, bytes_on_disk());
            drop_double();
        } else {
            order_records();
        }
        renew_tokens(10);
        drop_deep(50);
        if (count_events(WAITED) > EVENTS / 2 || count_events(FLUSHED) > EVENTS / 2)
            shorten_log();
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// The first thread
// ---------------------------------------------------------------------------------------------------

#define WORKERS 16

// Reads which paths hosts do not want to be visited.
void read_rules(int count)
{
    //@ loop invariant 0 <= i && \tid == \main;
    for (int i = 0; i < count; i++) {
        int from = within(__VERIFIER_nondet_int(), 0, 1000);
        int to = within(__VERIFIER_nondet_int(), 1000, 2000);
        forbid(__VERIFIER_nondet_int(), from, to);
    }
}

/*@ requires !configured; */
int main(void)
{
    pthread_t thread;
    configure(__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    read_rules(10);
    follow(1, 1, 0);
    follow(2, 1, 0);
    int first_name = 0;
    if (count_addresses() > 1 && is_same_address(first_name, 1))
        return 1;
    pthread_create(&thread, 0, tidy, 0);
    //@ loop invariant configured && 0 <= i;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread, 0, work, 0);
    return 0;
}
