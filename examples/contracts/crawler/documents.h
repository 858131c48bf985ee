// ---------------------------------------------------------------------------------------------------
// Documents: what a host has sent, and the links in it
// ---------------------------------------------------------------------------------------------------

#define MOST_TEXT 4096
#define MOST_LINKS 64
#define IS_TEXT(t) ((t) != 0 && \length(t) >= MOST_TEXT)
#define HAS_ROOM(f) ((f) != 0 && \length(f) >= MOST_LINKS)

// A link as it stands in a document.
struct found {
    int host;
    int path;
};
//@ global_invariant \forall struct found *f; f->host >= 0 && f->path >= 0;

// Asks a host for a page; its text, which ends with 0, or nothing if the host does not answer.
/*@ ensures \result == 0 || IS_TEXT(\result); */
char *fetch(int place, int path)
{
    if (__VERIFIER_nondet_int() == place - path)
        return 0;
    char *text = calloc(MOST_TEXT, 1);
    if (text == 0)
        return 0;
    int length = __VERIFIER_nondet_int();
    //@ loop invariant 0 <= i;
    for (int i = 0; i < length && i < MOST_TEXT - 1; i++)
        text[i] = __VERIFIER_nondet_char();
    return text;
}

// Room for the links of a document.
/*@ ensures \result == 0 || HAS_ROOM(\result); */
struct found *make_room(void)
{
    return calloc(MOST_LINKS, sizeof(struct found));
}

int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// How long a text is.
/*@ requires IS_TEXT(text);
    ensures 0 <= \result && \result < MOST_TEXT; */
int length_of(char *text)
{
    int length = 0;
    //@ loop invariant 0 <= length && length < MOST_TEXT;
    while (length < MOST_TEXT - 1 && text[length] != 0)
        length = length + 1;
    return length;
}

// A sum of a text by which copies are known.
/*@ requires IS_TEXT(text) && 0 <= length && length < MOST_TEXT; */
int sum_of(char *text, int length)
{
    unsigned sum = 17u;
    //@ loop invariant 0 <= i;
    for (int i = 0; i < length; i++)
        sum = sum * 33u + (unsigned)(unsigned char)text[i];
    return (int)(sum % 2147483647u);
}

// The first place from here on where there is no space.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_space(char *text, int at)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && is_space(text[next]))
        next = next + 1;
    return next;
}

// The first place behind a word that begins here.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_word(char *text, int at)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && is_letter(text[next]))
        next = next + 1;
    return next;
}

// The first place from here on with this character, or the last place.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_to(char *text, int at, char end)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && text[next] != end && text[next] != 0)
        next = next + 1;
    return next;
}

// A number that stands here; it is 0 if there is none, and cut off if it is large.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures 0 <= \result && \result <= 1000000; */
int number_at(char *text, int at)
{
    int number = 0;
    //@ loop invariant at <= i && 0 <= number && number <= 1000000;
    for (int i = at; i < MOST_TEXT; i++) {
        char digit = text[i];
        if (!is_digit(digit))
            break;
        number = number * 10 + (digit - '0');
        if (number > 1000000)
            number = 1000000;
    }
    return number;
}

// Whether a word begins here, in small letters.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT; */
int is_reference(char *text, int at)
{
    if (at + 4 >= MOST_TEXT)
        return 0;
    return text[at] == 'h' && text[at + 1] == 'r' && text[at + 2] == 'e' && text[at + 3] == 'f';
}

// The place behind a comment that begins here, or behind this character.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int skip_comment(char *text, int at)
{
    if (at + 3 >= MOST_TEXT || text[at + 1] != '!' || text[at + 2] != '-')
        return at + 1 < MOST_TEXT ? at + 1 : at;
    int next = at + 3;
    //@ loop invariant at < next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && text[next] != 0) {
        if (text[next] == '>' && text[next - 1] == '-')
            return next + 1;
        next = next + 1;
    }
    return next;
}

// The place of the next link from here on, or the last place of the text.
/*@ requires IS_TEXT(text) && 0 <= at && at < MOST_TEXT;
    ensures at <= \result && \result < MOST_TEXT; */
int next_link(char *text, int at)
{
    int next = at;
    //@ loop invariant at <= next && next < MOST_TEXT;
    while (next < MOST_TEXT - 1 && text[next] != 0) {
        if (is_reference(text, next))
            return next;
        next = text[next] == '<' ? skip_comment(text, next) : next + 1;
    }
    return MOST_TEXT - 1;
}

// Collects the links of a text; how many there are. A link is a word, a number for the host and a
// number for the path: href = 12 / 34.
/*@ requires IS_TEXT(text) && HAS_ROOM(found);
    modifies \forall struct found *f; f->host, \forall struct found *f; f->path;
    ensures 0 <= \result && \result <= MOST_LINKS; */
int find_links(char *text, struct found *found)
{
    int count = 0;
    int at = next_link(text, 0);
    //@ loop invariant 0 <= count && count <= MOST_LINKS && 0 <= at && at < MOST_TEXT;
    while (count < MOST_LINKS && at < MOST_TEXT - 1) {
        at = skip_word(text, at);
        at = skip_to(text, at, '=');
        if (at < MOST_TEXT - 1)
            at = skip_space(text, at + 1);
        int host = number_at(text, at);
        at = skip_to(text, at, '/');
        if (at < MOST_TEXT - 1) {
            int path = number_at(text, at + 1);
            found[count].host = host;
            found[count].path = path;
            count = count + 1;
            at = next_link(text, at);
        }
    }
    return count;
}
