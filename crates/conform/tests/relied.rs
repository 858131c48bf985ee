//! Global invariants and environment assumptions of a specification: every check relies on them, and
//! every thread has to keep them.

use selvedge_conform::verify;
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Options, Run, Stop, Verdict};

/// Workers that count under a lock. What `add` ensures at its end holds only if nobody else writes `x`
/// meanwhile, and what its caller then reads is the same only for that reason.
const PROGRAM: &str = "shared m: thread; shared x: i32 = 0;
    procedure add() -> i32 {
        local t: i32;
        t := x;
        if (t < 10) { x := t + 1; } else { x := WRAPPED; }
        t := x;
        return t;
    }
    procedure worker() {
        local r: i32; local t: i32;
        TAKE r := call add(); t := x; assert t == r; assert t <= 10; GIVE
    }
    procedure main() { spawn worker(); spawn worker(); OUTSIDE }
    thread main main;
    ENVIRONMENT
    INVARIANT
    contract add {
        requires \"m == tid\" { h: thread := load m; } holds h == tid;
        action { modifies \"x\" {} at &x: i32; }
        ensures \"result == x\" { r: i32 := result; v: i32 := load x; } holds r == v;
    }
    abstract_thread W abstracts worker {
        state S initial { }
        step 0 -> 0 {
            ensures \"m == 0\" { h: thread := load m; } holds h == none;
            ensures \"m' == tid\" { h: thread := after m; } holds h == tid;
            modifies \"m\" {} at &m: thread;
        }
        step 0 -> 0 {
            ensures \"m == tid\" { h: thread := load m; } holds h == tid;
            ensures \"m' == 0\" { h: thread := after m; } holds h == none;
            modifies \"m\" {} at &m: thread;
        }
        step 0 -> 0 { modifies \"x\" {} at &x: i32; }
    }";

const ENVIRONMENT: &str = "environment \"m == tid ==> x' == x\"
    { h: thread := load m; a: i32 := load x; b: i32 := after x; } holds h != tid || a == b;";
const INVARIANT: &str =
    "invariant \"0 <= x && x <= 10\" { v: i32 := load x; } holds 0 <= v && v <= 10;";

/// The program with some of its parts changed.
fn program(changes: &[(&str, &str)]) -> Program {
    let mut source = PROGRAM.to_owned();
    for (name, what) in changes {
        source = source.replace(name, what);
    }
    let usual = [("ENVIRONMENT", ENVIRONMENT), ("INVARIANT", INVARIANT), ("WRAPPED", "0")];
    for (name, what) in usual.into_iter().chain([("TAKE", "lock m;"), ("GIVE", "unlock m;")]) {
        source = source.replace(name, what);
    }
    let source = source.replace("OUTSIDE", "");
    text::parse("relied.plato", &source).unwrap_or_else(|error| panic!("{error:?}\n{source}"))
}

fn decide(changes: &[(&str, &str)]) -> Result<Verdict, Stop> {
    let options = Options::new(&[Property::Assert]);
    let mut run = Run::silent(Budget::work(20_000_000));
    verify(&program(changes), &options, &mut run, &mut |part| println!("{part:#?}"))
}

#[track_caller]
fn refused(changes: &[(&str, &str)]) -> String {
    match decide(changes) {
        Err(Stop::Conformance { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_others_leave_alone_stays() {
    let verdict = decide(&[]);
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
}

#[test]
fn without_the_assumption_or_the_invariant_nothing_is_known() {
    assert_eq!(refused(&[("ENVIRONMENT", "")]), "W does not abstract worker");
    assert_eq!(refused(&[("INVARIANT", "")]), "W does not abstract worker");
}

#[test]
fn every_thread_guarantees_what_others_rely_on() {
    // Without the lock the assumption is wrong of the worker's own steps.
    let unlocked = refused(&[("TAKE", ""), ("GIVE", "")]);
    assert!(unlocked.ends_with("does not abstract worker"), "{unlocked}");
    // A procedure by its contract, too.
    assert_eq!(refused(&[("WRAPPED", "11")]), "add does not keep its contract");
    // And a thread that has no abstract thread.
    let verdict = decide(&[("OUTSIDE", "x := 1;")]);
    assert!(matches!(verdict, Ok(Verdict::Unsafe(_))), "{verdict:?}");
    let allowed = refused(&[("OUTSIDE", "lock m; x := 12; x := 1; unlock m;")]);
    assert!(allowed.starts_with("the abstract threads allow"), "{allowed}");
    let verdict = decide(&[("OUTSIDE", "lock m; x := 1; x := 2; unlock m;")]);
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
}

#[test]
fn what_speaks_of_other_memory_is_not_used() {
    let elsewhere =
        "environment \"y' == y\" { a: i32 := load y; b: i32 := after y; } holds a == b;";
    let source = ("thread main main;", "thread main main; shared y: i32;");
    let verdict = decide(&[source, ("ENVIRONMENT", &format!("{ENVIRONMENT} {elsewhere}"))]);
    assert!(matches!(verdict, Ok(Verdict::Safe(_))), "{verdict:?}");
}
