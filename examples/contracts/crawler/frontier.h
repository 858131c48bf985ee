// ---------------------------------------------------------------------------------------------------
// Addresses: a table that only grows, so that entries are read without a lock
// ---------------------------------------------------------------------------------------------------

#define MOST_ADDRESSES 8192

pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;
int addresses; //@ unwritable_by_env_if \holder(naming) == \tid;
int address_host[MOST_ADDRESSES];
int address_path[MOST_ADDRESSES];
int address_print[MOST_ADDRESSES];

// An entry is complete before it is counted, and never changes after that.
/*@ global_invariant 0 <= addresses && addresses <= MOST_ADDRESSES;
    env_assumption addresses <= addresses';
    env_assumption \forall int i; i < addresses || \holder(naming) == \tid ==> address_host[i]' == address_host[i];
    env_assumption \forall int i; i < addresses || \holder(naming) == \tid ==> address_path[i]' == address_path[i];
    env_assumption \forall int i; i < addresses || \holder(naming) == \tid ==> address_print[i]' == address_print[i];
    global_invariant \forall int i; 0 <= i && i < addresses ==> address_host[i] >= 0;
    global_invariant \forall int i; 0 <= i && i < addresses ==> address_path[i] >= 0;
    global_invariant \forall int i; 0 <= i && i < addresses ==> address_print[i] != 0; */

// Mixes two numbers into a fingerprint, which is never 0.
/*@ ensures \result != 0; */
int fingerprint(int host, int path)
{
    unsigned mixed = (unsigned)host * 31u + (unsigned)path;
    mixed = mixed ^ (mixed >> 7);
    int print = (int)(mixed % 1000000007u);
    return print == 0 ? 1 : print;
}

// Gives an address a number; -1 if there are too many.
/*@ requires host >= 0 && path >= 0;
    modifies naming, addresses, address_host, address_path, address_print;
    ensures -1 <= \result && \result < addresses; */
int name_address(int host, int path)
{
    int print = fingerprint(host, path);
    int name = -1;
    pthread_mutex_lock(&naming);
    int next = addresses;
    if (next < MOST_ADDRESSES) {
        address_host[next] = host;
        address_path[next] = path;
        address_print[next] = print;
        addresses = next + 1;
        name = next;
    }
    pthread_mutex_unlock(&naming);
    return name;
}

/*@ requires 0 <= name && name < addresses;
    ensures \result >= 0; */
int host_of(int name)
{
    return address_host[name];
}

/*@ requires 0 <= name && name < addresses;
    ensures \result >= 0; */
int path_of(int name)
{
    return address_path[name];
}

/*@ requires 0 <= name && name < addresses;
    ensures \result != 0; */
int print_of(int name)
{
    return address_print[name];
}

// How many addresses have names. There may soon be more, but never less.
/*@ ensures 0 <= \result && \result <= addresses; */
int count_addresses(void)
{
    return addresses;
}

// Whether two names are of the same place.
/*@ requires 0 <= one && one < addresses && 0 <= other && other < addresses; */
int is_same_address(int one, int other)
{
    if (print_of(one) != print_of(other))
        return 0;
    return host_of(one) == host_of(other) && path_of(one) == path_of(other);
}

// ---------------------------------------------------------------------------------------------------
// The frontier: a ring of addresses that wait to be fetched
// ---------------------------------------------------------------------------------------------------

#define WAITING 512

struct waiting {
    int name;
    int depth;
};

pthread_mutex_t frontier = PTHREAD_MUTEX_INITIALIZER;
int first;    //@ unwritable_by_env_if \holder(frontier) == \tid;
int waiting;  //@ unwritable_by_env_if \holder(frontier) == \tid;
int deepest;  //@ unwritable_by_env_if \holder(frontier) == \tid;
int refused;  //@ unwritable_by_env_if \holder(frontier) == \tid;
struct waiting ring[WAITING]; //@ unwritable_by_env_if \holder(frontier) == \tid;

/*@ global_invariant 0 <= first && first < WAITING;
    global_invariant 0 <= waiting && waiting <= WAITING;
    global_invariant 0 <= deepest && 0 <= refused && refused <= MOST_COUNTED;
    global_invariant \forall int i; 0 <= i && i < WAITING ==> 0 <= ring[i].depth; */

// The place in the ring that is so far behind the first.
int place_behind(int start, int distance)
{
    int place = start + distance;
    return place >= WAITING ? place - WAITING : place;
}

// Puts an address at the end of the frontier; whether there was room.
/*@ requires 0 <= name && 0 <= depth;
    modifies frontier, waiting, deepest, refused, ring; */
int put(int name, int depth)
{
    int done = 0;
    pthread_mutex_lock(&frontier);
#ifdef BUG_EARLY_UNLOCK
    int place = place_behind(first, waiting);
    int room = waiting < WAITING;
    pthread_mutex_unlock(&frontier);
    if (room) {
        ring[place].name = name;
        ring[place].depth = depth;
        pthread_mutex_lock(&frontier);
        if (waiting < WAITING)
            waiting = waiting + 1;
        pthread_mutex_unlock(&frontier);
        done = 1;
    }
#else
    if (waiting < WAITING) {
        int place = place_behind(first, waiting);
        if (place < WAITING) {
            ring[place].name = name;
            ring[place].depth = depth;
            waiting = waiting + 1;
            if (depth > deepest)
                deepest = depth;
            done = 1;
        }
    } else {
        refused = plus(refused, 1);
    }
    pthread_mutex_unlock(&frontier);
#endif
    return done;
}

// Takes the first address; -1 if nothing waits.
/*@ modifies frontier, first, waiting;
    ensures \result >= -1; */
int take(void)
{
    int name = -1;
    pthread_mutex_lock(&frontier);
    if (waiting > 0) {
        name = ring[first].name;
        first = place_behind(first, 1);
        waiting = waiting - 1;
    }
    pthread_mutex_unlock(&frontier);
    return name < 0 ? -1 : name;
}

// How deep the first address lies; -1 if nothing waits.
/*@ modifies frontier;
    ensures \result >= -1; */
int next_depth(void)
{
    int depth = -1;
    pthread_mutex_lock(&frontier);
    if (waiting > 0)
        depth = ring[first].depth;
    pthread_mutex_unlock(&frontier);
    return depth;
}

// Drops the addresses at the end that lie deeper than this; how many these were.
/*@ requires 0 <= limit;
    modifies frontier, waiting;
    ensures \result >= 0; */
int drop_deep(int limit)
{
    int dropped = 0;
    pthread_mutex_lock(&frontier);
    int left = waiting;
    //@ loop invariant 0 <= left && left <= waiting && 0 <= dropped && \holder(frontier) == \tid;
    while (left > 0 && dropped < WAITING) {
        int place = place_behind(first, left - 1);
        if (place >= WAITING || ring[place].depth <= limit)
            break;
        left = left - 1;
        dropped = dropped + 1;
    }
    waiting = left;
    pthread_mutex_unlock(&frontier);
    return dropped;
}
