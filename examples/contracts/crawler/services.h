// ---------------------------------------------------------------------------------------------------
// The log of events: the latest ones, for whoever looks after the crawler
// ---------------------------------------------------------------------------------------------------

#define EVENTS 128
#define STARTED 1
#define FETCHED 2
#define FAILED 3
#define FLUSHED 4
#define WAITED 5
#define STOPPED 6

pthread_mutex_t logging = PTHREAD_MUTEX_INITIALIZER;
int events;              //@ unwritable_by_env_if \holder(logging) == \tid;
int lost_events;         //@ unwritable_by_env_if \holder(logging) == \tid;
int event_kind[EVENTS];  //@ unwritable_by_env_if \holder(logging) == \tid;
int event_value[EVENTS]; //@ unwritable_by_env_if \holder(logging) == \tid;

/*@ global_invariant 0 <= events && events <= EVENTS;
    global_invariant 0 <= lost_events && lost_events <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < EVENTS ==> 0 <= event_kind[i] && event_kind[i] <= STOPPED; */

// Adds an event; when the log is full, it is counted among those that are lost.
/*@ requires STARTED <= kind && kind <= STOPPED;
    modifies logging, events, lost_events, event_kind, event_value; */
void log_event(int kind, int value)
{
    pthread_mutex_lock(&logging);
    int place = events;
#ifdef BUG_BOUNDS
    if (place <= EVENTS) {
#else
    if (place < EVENTS) {
#endif
        event_kind[place] = kind;
        event_value[place] = value;
        events = place + 1;
    } else {
        lost_events = plus(lost_events, 1);
    }
    pthread_mutex_unlock(&logging);
}

// How many events of a kind are in the log.
/*@ modifies logging;
    ensures 0 <= \result && \result <= EVENTS; */
int count_events(int kind)
{
    int count = 0;
    pthread_mutex_lock(&logging);
    //@ loop invariant 0 <= i && 0 <= count && count <= i && i <= events && \holder(logging) == \tid;
    for (int i = 0; i < events; i++)
        if (event_kind[i] == kind)
            count = count + 1;
    pthread_mutex_unlock(&logging);
    return count;
}

// Forgets the older half of a log that is full.
/*@ modifies logging, events, event_kind, event_value; */
void shorten_log(void)
{
    pthread_mutex_lock(&logging);
    if (events == EVENTS) {
        int half = EVENTS / 2;
        //@ loop invariant 0 <= i && \holder(logging) == \tid;
        for (int i = 0; i < half; i++) {
            event_kind[i] = event_kind[i + half];
            event_value[i] = event_value[i + half];
        }
        events = half;
    }
    pthread_mutex_unlock(&logging);
}

// ---------------------------------------------------------------------------------------------------
// Names of hosts: a small cache of what the name server has answered
// ---------------------------------------------------------------------------------------------------

#define ANSWERS 32
#define LIFETIME 600

struct answer {
    int host;
    int place;
    int until;
};

pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER;
struct answer answers[ANSWERS]; //@ unwritable_by_env_if \holder(names) == \tid;
int oldest;                     //@ unwritable_by_env_if \holder(names) == \tid;
int hits;                       //@ unwritable_by_env_if \holder(names) == \tid;
int misses;                     //@ unwritable_by_env_if \holder(names) == \tid;

/*@ global_invariant 0 <= oldest && oldest < ANSWERS;
    global_invariant 0 <= hits && hits <= MOST_COUNTED;
    global_invariant 0 <= misses && misses <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < ANSWERS ==> answers[i].place >= 0; */

// What the name server says. It takes its time, so no lock is held.
int ask_name_server(int host)
{
    int place = __VERIFIER_nondet_int();
    return place < 0 ? host : place;
}

// The network place of a host from the cache; -1 if it is not there or too old.
/*@ requires host >= 0 && now >= 0;
    modifies names, hits, misses;
    ensures \result >= -1; */
int cached_place(int host, int now)
{
    int place = -1;
    pthread_mutex_lock(&names);
    //@ loop invariant 0 <= i && place >= -1 && \holder(names) == \tid;
    for (int i = 0; i < ANSWERS; i++)
        if (answers[i].host == host && answers[i].until > now) {
            place = answers[i].place;
            break;
        }
    if (place >= 0)
        hits = plus(hits, 1);
    else
        misses = plus(misses, 1);
    pthread_mutex_unlock(&names);
    return place;
}

// Replaces the oldest answer.
/*@ requires place >= 0 && 0 <= now && now <= 1000000000;
    modifies names, oldest, answers; */
void remember_place(int host, int place, int now)
{
    pthread_mutex_lock(&names);
    answers[oldest].host = host;
    answers[oldest].place = place;
    answers[oldest].until = now + LIFETIME;
    oldest = oldest + 1 < ANSWERS ? oldest + 1 : 0;
    pthread_mutex_unlock(&names);
}

// The network place of a host.
/*@ requires host >= 0 && 0 <= now && now <= 1000000000;
    modifies names, hits, misses, oldest, answers;
    ensures \result >= 0; */
int resolve(int host, int now)
{
    int place = cached_place(host, now);
    if (place < 0) {
        place = ask_name_server(host);
        remember_place(host, place, now);
    }
    return place;
}

// ---------------------------------------------------------------------------------------------------
// Bandwidth: tokens that requests use up and the background thread renews
// ---------------------------------------------------------------------------------------------------

#define MOST_TOKENS 10000

pthread_mutex_t bandwidth = PTHREAD_MUTEX_INITIALIZER;
int tokens;    //@ unwritable_by_env_if \holder(bandwidth) == \tid;
int throttled; //@ unwritable_by_env_if \holder(bandwidth) == \tid;

/*@ global_invariant 0 <= tokens && tokens <= MOST_TOKENS;
    global_invariant 0 <= throttled && throttled <= MOST_COUNTED; */

// Uses so many tokens up, if there are as many; whether there were.
/*@ requires 0 <= count;
    modifies bandwidth, tokens, throttled; */
int use_tokens(int count)
{
    pthread_mutex_lock(&bandwidth);
    int enough = tokens >= count;
    if (enough)
        tokens = tokens - count;
    else
        throttled = plus(throttled, 1);
    pthread_mutex_unlock(&bandwidth);
    return enough;
}

/*@ requires 0 <= count && count <= MOST_TOKENS;
    modifies bandwidth, tokens; */
void renew_tokens(int count)
{
    pthread_mutex_lock(&bandwidth);
    tokens = tokens > MOST_TOKENS - count ? MOST_TOKENS : tokens + count;
    pthread_mutex_unlock(&bandwidth);
}

// ---------------------------------------------------------------------------------------------------
// Rules: what hosts do not want to be visited
// ---------------------------------------------------------------------------------------------------

// A range of paths of a host. Rules are complete before others see them, and stay.
struct rule {
    int host;
    int from;
    int to;
    struct rule *next;
};
/*@ env_assumption \forall struct rule *r; r->host' == r->host;
    env_assumption \forall struct rule *r; r->from' == r->from;
    env_assumption \forall struct rule *r; r->to' == r->to;
    env_assumption \forall struct rule *r; r->next' == r->next;
    global_invariant \forall struct rule *r; r->from <= r->to; */

pthread_mutex_t ruling = PTHREAD_MUTEX_INITIALIZER;
struct rule *rules; //@ unwritable_by_env_if \holder(ruling) == \tid;
int rule_count;     //@ unwritable_by_env_if \holder(ruling) == \tid;
//@ global_invariant 0 <= rule_count && rule_count <= MOST_COUNTED;

// Forbids a range of paths of a host.
/*@ requires from <= to;
    modifies ruling, rules, rule_count; */
void forbid(int host, int from, int to)
{
    struct rule *r = calloc(1, sizeof *r);
    if (r == 0)
        return;
    r->host = host;
    r->from = from;
    r->to = to;
    pthread_mutex_lock(&ruling);
    r->next = rules;
    rules = r;
    rule_count = plus(rule_count, 1);
    pthread_mutex_unlock(&ruling);
}

// The first rule; those behind it do not change, so they are looked at without a lock.
/*@ modifies ruling; */
struct rule *first_rule(void)
{
    pthread_mutex_lock(&ruling);
    struct rule *r = rules;
    pthread_mutex_unlock(&ruling);
    return r;
}

// Whether a path of a host may be visited.
/*@ modifies ruling; */
int is_allowed(int host, int path)
{
    struct rule *r = first_rule();
    while (r != 0) {
        assert(r->from <= r->to);
        if (r->host == host && r->from <= path && path <= r->to)
            return 0;
        r = r->next;
    }
    return 1;
}
