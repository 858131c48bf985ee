//! Each rule on a small program: what keeps it is accepted, what breaks it is refused by its name.

use selvedge_budget::{Clock, Moment};
use selvedge_certify_contracts::{Certificate, Rejected, Solvers, check_alone, cvc5_is_installed};
use selvedge_ir::{Property, text};
use selvedge_smt::Limits;

const GUARDED: &str = "
shared m: thread;
shared x: i32;
procedure work() {
    local t: i32;
    lock m;
    x := 1;
    t := x;
    assert t == 1;
    x := 0;
    unlock m;
}
thread any work;
environment \"x is guarded\" { h: thread := load m; o: i32 := load x; n: i32 := after x; }
    holds h != tid || n == o;
invariant \"x is zero\" { h: thread := load m; v: i32 := load x; } holds h != none || v == 0;
";

const CALLED: &str = "
shared g: i32;
procedure set(v: i32) -> i32 { g := v; return v; }
procedure main() {
    local r: i32;
    local t: i32;
    r := call set(3);
    t := g;
    assert r == 3;
    assert t == 3;
}
thread main main;
environment \"only main\" { f: thread := main; o: i32 := load g; n: i32 := after g; }
    holds f != tid || n == o;
contract set {
    requires \"main\" { f: thread := main; } holds f == tid;
    requires \"positive\" { v: i32 := parameter 0; } holds v > 0;
    action {
        modifies \"g\" {} at &g: i32;
        ensures \"set\" { v: i32 := parameter 0; n: i32 := after g; } holds n == v;
    }
    ensures \"same\" { r: i32 := result; v: i32 := parameter 0; } holds r == v;
}
";

const TOLD: &str = "
layout cell = struct { v: i32; };
shared g: ptr;
procedure main() {
    local p: ptr;
    local t: i32;
    p := alloc cell zeroed;
    *(p): i32 := 5;
    t := *(p): i32;
    assert t == 5;
    g := p;
}
thread any main;
invariant \"cells have five\" { c: ptr := forall in cell; v: i32 := load *(c): i32; } holds v == 5;
";

/// Clauses that have nothing to do with each other: one about `a` and one about `b`.
const APART: &str = "
shared a: i32;
shared b: i32;
procedure work(p: ptr) {
    a := 1;
    b := 2;
    *(p): i32 := 2;
}
procedure main() { call work(&b); }
thread main main;
invariant \"a is positive\" { v: i32 := load a; } holds v >= 0;
invariant \"b is positive\" { v: i32 := load b; } holds v >= 0;
environment \"b grows\" { o: i32 := load b; n: i32 := after b; } holds o != 2 || n == o;
contract work {
    requires \"b\" { p: ptr := parameter 0; } holds p == &b;
    modifies \"a\" {} at &a: i32;
    modifies \"b\" {} at &b: i32;
}
";

/// A lock that counts who reads, with the set of readers as a variable of the specification.
const READERS: &str = "
layout gate = struct { 0 m: thread; 8 n: i32; } size 16;
shared g: gate;
shared table: i32;
ghost readers: bool map in gate := false;
ghost last: thread := none;
procedure enter(p: ptr) {
    local t: i32;
    lock *(p): thread;
    t := *(p + 8): i32;
    assume t < 100;
    atomic {
        ghost_update 0 \"\" { p: ptr := value p; } at p \"\" {
            p: ptr := value p; s: bool := ghost 0 of p; u: bool := update s at tid := true;
        } to u;
        ghost_update 1 \"\" {} at null \"\" {} to tid;
        *(p + 8): i32 := t + 1;
    }
    ghost_assert \"the last\" { l: thread := ghost 1 of null; } holds l == tid;
    unlock *(p): thread;
}
procedure leave(p: ptr) {
    local t: i32;
    lock *(p): thread;
    t := *(p + 8): i32;
    atomic {
        ghost_update 0 \"\" { p: ptr := value p; } at p \"\" {
            p: ptr := value p; s: bool := ghost 0 of p; u: bool := update s at tid := false;
        } to u;
        *(p + 8): i32 := t - 1;
    }
    unlock *(p): thread;
}
procedure look() {
    local t: i32;
    local u: i32;
    call enter(&g);
    t := table;
    u := table;
    assert t == u;
    call leave(&g);
}
procedure main() {
    local t: thread;
    t := spawn look();
}
thread main main;
environment \"m guards\" {
    p: ptr := forall in gate; h: thread := load *(p): thread;
    s: bool := ghost 0 of p; t: bool := ghost_after 0 of p; same: bool := same s t;
    n: i32 := load *(p + 8): i32; o: i32 := after *(p + 8): i32;
} holds h != tid || same && n == o;
environment \"m of g guards\" {
    h: thread := load *(&g): thread;
    l: thread := ghost 1 of null; k: thread := ghost_after 1 of null;
} holds h != tid || l == k;
environment \"others do not let in\" {
    p: ptr := forall in gate; s: bool := ghost 0 of p; e: bool := entry s at tid;
    t: bool := ghost_after 0 of p; f: bool := entry t at tid;
} holds e == f;
environment \"readers keep the table\" {
    s: bool := ghost 0 of &g; e: bool := entry s at tid; o: i32 := load table; n: i32 := after table;
} holds !e || o == n;
invariant \"n counts\" {
    p: ptr := forall in gate; s: bool := ghost 0 of p; c: i64 := count s;
    n: i32 := load *(p + 8): i32;
} holds i64(n) == c;
contract enter {
    requires \"the gate\" { p: ptr := parameter 0; } holds p == &g;
    requires \"outside\" {
        p: ptr := parameter 0; s: bool := ghost 0 of p; e: bool := entry s at tid;
    } holds !e;
    modifies \"m\" { p: ptr := parameter 0; } at p: thread;
    modifies \"n\" { p: ptr := parameter 0; } at p + 8: i32;
    modifies \"last\" {} at null: thread ghost 1;
    action {
        modifies \"readers\" { p: ptr := parameter 0; } at p: bool ghost 0;
        ensures \"in\" {
            p: ptr := parameter 0; s: bool := ghost 0 of p; t: bool := ghost_after 0 of p;
            u: bool := update s at tid := true; same: bool := same t u;
        } holds same;
    }
}
contract leave {
    requires \"the gate\" { p: ptr := parameter 0; } holds p == &g;
    requires \"inside\" {
        p: ptr := parameter 0; s: bool := ghost 0 of p; e: bool := entry s at tid;
    } holds e;
    modifies \"m\" { p: ptr := parameter 0; } at p: thread;
    modifies \"n\" { p: ptr := parameter 0; } at p + 8: i32;
    action {
        modifies \"readers\" { p: ptr := parameter 0; } at p: bool ghost 0;
        ensures \"out\" {
            p: ptr := parameter 0; s: bool := ghost 0 of p; t: bool := ghost_after 0 of p;
            u: bool := update s at tid := false; same: bool := same t u;
        } holds same;
    }
}
contract look {
    requires \"new\" { s: bool := ghost 0 of &g; e: bool := entry s at tid; } holds !e;
}
";

fn checked(source: &str, solvers: Solvers) -> Result<usize, Rejected> {
    let program = text::parse("test.plato", source).unwrap_or_else(|e| panic!("{e:?}: {source}"));
    let certificate = Certificate::new(&program, &[Property::Assert], Vec::new(), Vec::new());
    let end = Moment::START + Clock::time_for(50_000_000);
    let limits = Limits::until(&Clock::counting(), end);
    check_alone(&certificate, solvers, &limits).map(|accepted| accepted.open)
}

/// The program is accepted; each change of it is refused, for this reason.
fn rules(source: &str, broken: &[(&str, &str, &str)]) {
    assert_eq!(checked(source, Solvers::Z3), Ok(0));
    for (right, wrong, reason) in broken {
        assert!(source.contains(right), "{right}");
        let rejected = checked(&source.replacen(right, wrong, 1), Solvers::Z3);
        let told = rejected.map_err(|rejected| rejected.to_string());
        assert!(told.as_ref().is_err_and(|why| why.contains(reason)), "{wrong}: {told:?}");
    }
}

#[test]
fn steps_keep_what_is_specified() {
    rules(
        GUARDED,
        &[
            ("lock m;\n", "skip;\n", "x is guarded"),
            ("x := 0;", "skip;", "keeps the invariant `x is zero`"),
            ("lock m;\n", "unlock m; lock m;\n", "x is zero"),
            ("assert t == 1", "assert t == 2", "assertion"),
            ("shared x: i32;", "shared x: i32 = 3;", "the initial memory satisfies"),
        ],
    );
}

#[test]
fn every_write_counts_for_what_it_may_change() {
    rules(
        APART,
        &[
            ("a := 1;", "a := 0 - 1;", "a is positive"),
            ("b := 2;", "b := 0 - 2;", "b is positive"),
            ("b := 2;", "b := 2; b := 3;", "b grows"),
            ("*(p): i32 := 2;", "*(p): i32 := 3;", "b grows"),
            ("*(p): i32 := 2;", "*(p): i32 := 0 - 3;", "b is positive"),
        ],
    );
}

#[test]
fn specifications_make_sense() {
    rules(
        GUARDED,
        &[
            ("h != tid || n == o", "h != tid || n == o + 1", "others may do nothing"),
            ("h != tid || n == o", "n == o || n == o + 1", "two steps of others are one"),
            ("h != none || v == 0", "false", "the invariants can hold together"),
        ],
    );
}

#[test]
fn calls_keep_contracts() {
    rules(
        CALLED,
        &[
            ("call set(3)", "call set(0)", "which set requires"),
            (
                "{ g := v; return v; }",
                "{ skip; return v; }",
                "all actions of its contract are done",
            ),
            ("g := v; return", "g := v; g := v + 1; return", "the contract of set allows"),
            ("return v;", "return 0;", "set ensures `same`"),
            ("assert r == 3", "assert r == 4", "assertion"),
            ("holds n == v;", "holds n != v + 1;", "assertion"),
            ("holds f != tid || n == o;", "holds true;", "assertion"),
        ],
    );
}

#[test]
fn objects_are_told_of_when_they_are_ready() {
    rules(
        TOLD,
        &[
            ("*(p): i32 := 5;", "skip;", "assertion"),
            ("assert t == 5;\n    g := p;", "g := p; *(p): i32 := 6;", "keeps the invariant"),
            ("*(p): i32 := 5;\n", "g := p; *(p): i32 := 5;\n", "keeps the invariant"),
            ("p := alloc cell zeroed;", "p := null;", "an access leads into an object"),
            ("g := p;", "free p; t := *(p): i32;", "an access leads into an object"),
        ],
    );
}

const ADDS: &str = "ghost_update 0 \"\" { p: ptr := value p; } at p \"\" {
            p: ptr := value p; s: bool := ghost 0 of p; u: bool := update s at tid := true;
        } to u;";

#[test]
fn updates_of_sets_are_steps_like_stores() {
    let two = format!("{ADDS} {ADDS}");
    let other = ADDS.replace("update s at tid := true", "update s at tid := false");
    rules(
        READERS,
        &[
            // One that is missing, of another thread, of another object, taken back.
            (ADDS, "skip;", "keeps the invariant `n counts`"),
            (ADDS, &ADDS.replace("at tid :=", "at none :="), "keeps the invariant `n counts`"),
            (ADDS, &ADDS.replacen("value p", "value null", 1), "keeps the invariant `n counts`"),
            (ADDS, &other, "keeps the invariant `n counts`"),
            (ADDS, &format!("{ADDS} {other}"), "keeps the invariant `n counts`"),
            // Outside of the lock, or in a step of its own.
            ("    lock *(p): thread;\n", "    skip;\n", "keeps the invariant `n counts`"),
            (
                &format!("atomic {{\n        {ADDS}"),
                &format!("{ADDS} atomic {{"),
                "keeps the invariant `n counts`",
            ),
            // What the contract does not allow, and what others rely on.
            ("modifies \"last\" {} at null: thread ghost 1;", "", "the contract of enter allows"),
            ("tid := true; same", "tid := false; same", "assertion t == u"),
        ],
    );
    // The same twice in one step is the same.
    assert_eq!(checked(&READERS.replacen(ADDS, &two, 1), Solvers::Z3), Ok(0));
}

#[test]
fn formulas_about_sets_mean_what_they_say() {
    rules(
        READERS,
        &[
            ("holds l == tid;", "holds l != tid;", "assertion `the last`"),
            ("to tid;", "to none;", "assertion `the last`"),
            ("holds !e || o == n;", "holds true;", "assertion"),
            ("holds i64(n) == c;", "holds i64(n) < c;", "the initial memory satisfies"),
            ("map in gate := false", "map in gate := true", "a set of all threads"),
            ("call leave(&g);\n", "call leave(&g); call leave(&g);\n", "which leave requires"),
            ("call enter(&g);\n", "call enter(&g); call enter(&g);\n", "which enter requires"),
            ("assert t == u;\n", "assert t == u; table := 3;\n", "readers keep the table"),
        ],
    );
}

/// That a thread which is new is in no set needs that nobody adds others, and that nobody from elsewhere
/// calls into the program.
#[test]
fn new_threads_are_in_no_set_of_their_own() {
    let source = "
        shared x: i32;
        shared y: thread;
        ghost seen: bool map := false;
        ghost marked: bool map := false;
        procedure look() {
            atomic {
                ghost_update 0 \"\" {} at null \"\" {
                    s: bool := ghost 0 of null; y: thread := load y; u: bool := update s at tid := true;
                } to u;
                x := 0;
            }
        }
        procedure main() { local t: thread; t := spawn look(); }
        thread main main;
        contract look {
            modifies \"x\" {} at &x: i32;
            modifies \"seen\" {} at null: bool ghost 0;
            requires \"new\" { s: bool := ghost 0 of null; e: bool := entry s at tid; } holds !e;
        }";
    let wrong = "which a thread in look requires";
    let open = "procedure alone() { skip; } contract alone { } procedure main() {";
    rules(
        source,
        &[
            ("update s at tid", "update s at y", wrong),
            ("s: bool := ghost 0 of null; y", "s: bool := ghost 1 of null; y", wrong),
            ("procedure main() {", open, wrong),
            ("holds !e;", "holds e;", wrong),
        ],
    );
}

const MEMBER: &str = "
layout cell = struct { v: i32; };
shared head: ptr;
ghost state: i32 in cell := 3;
ghost friend: ptr in cell := null;
procedure main() {
    local c: ptr;
    local d: ptr;
    c := alloc cell zeroed;
    ghost_assert \"starts\" { p: ptr := value c; s: i32 := ghost 0 of p; } holds s == 3;
    atomic {
        ghost_update 0 \"\" { p: ptr := value c; } at p \"\" {} to 5;
        *(c): i32 := 5;
    }
    head := c;
    ghost_assert \"all\" {
        p: ptr := forall in cell; s: i32 := ghost 0 of p; v: i32 := load *(p): i32;
    } holds s == v;
}
thread main main;
invariant \"the same\" {
    p: ptr := forall in cell; s: i32 := ghost 0 of p; v: i32 := load *(p): i32;
} holds s == v;
";

#[test]
fn members_belong_to_their_objects() {
    let friend = "head := c; d := alloc cell zeroed;
        ghost_update 1 \"\" { p: ptr := value c; } at p \"\" { p: ptr := value d; } to p;";
    let unknown = "ghost_update 0 \"\" { h: ptr := load head; f: ptr := ghost 1 of h; } at f";
    rules(
        MEMBER,
        &[
            ("holds s == 3", "holds s == 0", "assertion `starts`"),
            ("*(c): i32 := 5;", "*(c): i32 := 4;", "keeps the invariant `the same`"),
            ("    atomic {", "    head := c; atomic {", "keeps the invariant `the same`"),
            ("to 5;", "to 4;", "keeps the invariant `the same`"),
            // Who stands in a variable of the specification is told to others.
            ("head := c;", friend, "keeps the invariant `the same`"),
            // What an unknown pointer leads to may be another thread's own.
            ("ghost_update 0 \"\" { p: ptr := value c; } at p", unknown, "that the thread knows"),
        ],
    );
}

/// Two ways that meet, and much behind that, so that they are followed as one from there.
const MEETING: &str = "
shared x: i32;
shared y: i32;
procedure look() { skip; }
procedure main() {
    local c: bool;
    local a: i32;
    local t: i32;
    x := 0;
    y := 5;
    havoc c;
    if (c) { a := 1; call look(); x := 1; } else { a := 2; call look(); }
    assert a >= 1;
    assert c || a == 2;
    call look();
    call look();
    call look();
    t := y;
    assert t == 5;
    t := x;
    assert t == 0 || t == 1;
}
thread main main;
invariant \"bits\" { v: i32 := load x; } holds v == 0 || v == 1;
environment \"x\" { f: thread := main; o: i32 := load x; n: i32 := after x; } holds f != tid || n == o;
environment \"y\" { f: thread := main; o: i32 := load y; n: i32 := after y; } holds f != tid || n == o;
contract look { requires \"main\" { f: thread := main; } holds f == tid; }
";

#[test]
fn ways_that_meet_are_followed_as_one() {
    rules(
        MEETING,
        &[
            ("assert a >= 1", "assert a == 1", "assertion"),
            ("assert a >= 1", "assert a == 2", "assertion"),
            ("c || a == 2", "a == 2", "assertion"),
            ("assert t == 0 || t == 1", "assert t == 0", "assertion"),
            ("assert t == 0 || t == 1", "assert t == 1", "assertion"),
            ("x := 1;", "x := 2;", "bits"),
            ("x := 1;", "y := 1;", "assertion"),
            ("a := 2; call look();", "a := 2; call look(); y := 6;", "assertion"),
        ],
    );
    // What was forgotten at first can still be used.
    let more = MEETING.replace("assert t == 0 || t == 1", "assert t == 1 || !c");
    assert_eq!(checked(&more, Solvers::Z3), Ok(0));
}

#[test]
fn ways_that_meet_may_have_done_actions() {
    let source = "
        shared g: i32;
        shared h: i32;
        procedure look() { skip; }
        procedure set() {
            local c: bool;
            havoc c;
            if (c) { call look(); h := 1; } else { call look(); h := 2; }
            call look();
            call look();
            call look();
            g := 1;
        }
        procedure main() { call set(); }
        thread main main;
        contract look { requires \"main\" { f: thread := main; } holds f == tid; }
        contract set {
            requires \"main\" { f: thread := main; } holds f == tid;
            modifies \"h\" {} at &h: i32;
            action { modifies \"g\" {} at &g: i32; ensures \"set\" { n: i32 := after g; } holds n == 1; }
        }
        environment \"g\" { f: thread := main; o: i32 := load g; n: i32 := after g; }
            holds f != tid || n == o;";
    let both = "if (c) { call look(); g := 1; } else { call look(); g := 1; }";
    let one = "if (c) { call look(); h := 1; } else { call look(); g := 1; }";
    let (ways, end) = ("if (c) { call look(); h := 1; } else { call look(); h := 2; }", "g := 1;");
    let unfinished = "all actions of its contract are done";
    rules(source, &[(end, "skip;", unfinished), (end, "g := 2;", "the contract of set allows")]);
    let early = source.replace(end, "h := 3;").replace(ways, both);
    let twice = source.replace(end, "g := 2;").replace(ways, both);
    rules(&early, &[(both, one, unfinished)]);
    let told = checked(&twice, Solvers::Z3).map_err(|rejected| rejected.to_string());
    assert!(told.as_ref().is_err_and(|why| why.contains("the contract of set allows")), "{told:?}");
}

#[test]
fn loops_keep_what_their_author_claims() {
    let source = "
        ghost rounds: i32 := 0;
        shared x: i32;
        procedure main() {
            local i: i32;
            L0: i := 0 -> L1;
            L1: ghost_invariant \"as many\" {
                i: i32 := value i; r: i32 := ghost 0 of null;
            } holds i == r && i <= 10 && i >= 0 -> L2;
            L2:
                assume i < 10 -> L3;
                assume i >= 10 -> L6;
            L3: ghost_update 0 \"\" {} at null \"\" { r: i32 := ghost 0 of null; } to r + 1 -> L4;
            atomic L4: store x := i -> L5;
            L5: i := i + 1 -> L1;
            L6: ghost_assert \"ten\" { r: i32 := ghost 0 of null; } holds r == 10 -> L7;
            L7: skip -> L8;
            exit L8:
        }
        thread main main;
        contract main { requires \"none\" { r: i32 := ghost 0 of null; } holds r == 0; }
        environment \"alone\" {
            m: thread := main; r: i32 := ghost 0 of null; s: i32 := ghost_after 0 of null;
        } holds m != tid || r == s;";
    rules(
        source,
        &[
            ("to r + 1 ", "to r + 2 ", "the loop invariant `as many`"),
            ("r: i32 := ghost 0 of null; } holds r == 10", "} holds 9 == 10", "assertion `ten`"),
            ("holds m != tid || r == s", "holds true", "assertion `ten`"),
            ("i == r && i <= 10", "i == r && i <= 11", "assertion `ten`"),
        ],
    );
}

#[test]
fn loops_keep_what_callees_leave_alone() {
    let source = "
        shared a: i32;
        shared b: i32;
        procedure bump() { a := 1; }
        procedure main() {
            local t: i32;
            L0: store b := 3 -> L1;
            L1: call bump() -> L2;
            L2: havoc t -> L3;
            L3:
                assume t < 5 -> L1;
                assume t >= 5 -> L4;
            L4: t := load b -> L5;
            L5: assert t == 3 -> L6;
            L6: skip -> L7;
            exit L7:
        }
        thread main main;
        environment \"a\" { m: thread := main; o: i32 := load a; n: i32 := after a; }
            holds m != tid || o == n;
        environment \"b\" { m: thread := main; o: i32 := load b; n: i32 := after b; }
            holds m != tid || o == n;
        contract bump {
            requires \"main\" { m: thread := main; } holds m == tid;
            modifies \"a\" {} at &a: i32;
        }";
    let writes = ("{ a := 1; }", "{ b := 1; }", "the contract of bump allows");
    let may_write = ("at &a: i32;", "at &a: i32; modifies \"b\" {} at &b: i32;", "assertion");
    let looks_at_a = ("load b -> L5", "load a -> L5", "assertion");
    rules(source, &[writes, may_write, looks_at_a]);
}

/// What a formula reads at another type would never change.
#[test]
fn formulas_read_memory_at_the_types_of_the_program() {
    let source = "
        layout pair = struct { a: i32; b: i32; };
        shared g: pair;
        shared p: ptr;
        procedure main() {
            local q: ptr;
            q := &g;
            p := q;
            *(q): i32 := 5;
            ghost_assert \"five\" { q: ptr := value q; v: i32 := load *(q): i32; } holds v == 5;
            ghost_assert \"through\" { q: ptr := load p; v: i32 := load *(q): i32; } holds v == v;
            ghost_assert \"all\" { q: ptr := forall in pair; v: i32 := load *(q): i32; } holds v == 5;
        }
        thread main main;
        invariant \"some\" { v: i32 := load *(&g): i32; } holds v == 5 || v == 0;
        environment \"alone\" {
            m: thread := main; o: i32 := load *(&g): i32; n: i32 := after *(&g): i32;
            k: ptr := load p; l: ptr := after p;
        } holds m != tid || o == n && k == l;";
    let wrong = "accessed at several types";
    rules(
        source,
        &[
            (
                "value q; v: i32 := load *(q): i32; } holds v == 5",
                "value q; v: u32 := load *(q): u32; } holds v == 0",
                wrong,
            ),
            (
                "load p; v: i32 := load *(q): i32; } holds v == v",
                "load p; v: u32 := load *(q): u32; } holds v == 0",
                wrong,
            ),
            (
                "in pair; v: i32 := load *(q): i32; } holds v == 5",
                "in pair; v: u32 := load *(q): u32; } holds v == 0",
                wrong,
            ),
            (
                "v: i32 := load *(&g): i32; } holds v == 5 || v == 0",
                "v: u16 := load *(&g): u16; } holds v == 0",
                wrong,
            ),
            ("load p; v: i32", "exists; v: i32", "formula about all pointers"),
        ],
    );
}

#[test]
fn new_memory_is_not_what_invariants_say_of_all_of_it() {
    let source = "
        shared g: i32;
        procedure main() { g := 0; }
        thread main main;
        invariant \"all\" { p: ptr := forall; v: i32 := load *(p): i32; } holds v == 0;";
    let refused = checked(source, Solvers::Z3);
    assert!(matches!(refused, Err(Rejected::NotUnderstood { .. })), "{refused:?}");
}

#[test]
fn the_second_solver_agrees() {
    if cvc5_is_installed() {
        for source in [GUARDED, CALLED, TOLD, MEMBER] {
            assert_eq!(checked(source, Solvers::Both), Ok(0));
            assert_eq!(checked(source, Solvers::Cvc5), Ok(0));
        }
    }
}
