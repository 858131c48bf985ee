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
        for source in [GUARDED, CALLED, TOLD] {
            assert_eq!(checked(source, Solvers::Both), Ok(0));
            assert_eq!(checked(source, Solvers::Cvc5), Ok(0));
        }
    }
}
