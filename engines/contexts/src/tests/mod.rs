//! The translation against the concrete semantics, without a solver.

mod enumerate;

use selvedge_ir::{Program, Property, check, text};
use selvedge_passes::{Prepared, prepare};

use selvedge_exec::{Options, Stop, Verdict};

use super::Bounds;
use super::sequentialize::{Plan, Sequentialized, sequentialize};
use selvedge_sequential::interleave::{Steps, interleave};

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn prepared(program: &Program, properties: &[Property]) -> Prepared {
    let properties = properties.to_vec();
    prepare(program, &selvedge_passes::Options { properties, ..Default::default() })
}

fn translated(source: &str, contexts: u32, threads: u32) -> Sequentialized {
    let prepared = prepared(&parse(source), &[Property::Assert]);
    let bounds = Bounds { contexts, unwind: 2, threads };
    let properties = &[Property::Assert];
    let plan = Plan { bounds, properties, tracked: None, addresses: false, points: 100 };
    let result = sequentialize(&prepared, &plan).expect("it is small");
    let violations = check::check(&result.sequential.program);
    assert!(violations.is_empty(), "{}", check::listing(&result.sequential.program, &violations));
    result
}

#[track_caller]
fn errs(source: &str, contexts: u32, expected: bool) {
    let program = parse(source);
    let Sequentialized { sequential, .. } = translated(source, contexts, 2);
    let path = enumerate::error_path(&sequential);
    assert_eq!(path.is_some(), expected, "{}", sequential.listing());
    let Some(path) = path else { return };
    let options = Options { any_threads: Some(2), ..Options::new(&[Property::Assert]) };
    let prepared = prepared(&program, &[Property::Assert]);
    if let Err(what) = interleave(&program, &prepared, &options, &sequential, &path, Steps::All) {
        panic!("{what}\n{}", sequential.listing());
    }
}

const LOST_UPDATE: &str = "shared x: i32;
    procedure inc() { local t: i32; t := x; x := t + 1; }
    procedure main() { local a: thread; local b: thread;
        a := spawn inc(); b := spawn inc(); join a; join b;
        assert x == 2 \"sum\"; }
    thread main main;";

#[test]
fn a_lost_update_needs_two_contexts() {
    errs(LOST_UPDATE, 1, false);
    errs(LOST_UPDATE, 2, true);
}

#[test]
fn a_lock_keeps_updates() {
    let source = LOST_UPDATE
        .replace("shared x: i32;", "shared x: i32; shared m: thread;")
        .replace("t := x; x := t + 1;", "lock m; t := x; x := t + 1; unlock m;");
    errs(&source, 2, false);
}

#[test]
fn joins_wait() {
    let source = "shared x: i32;
        procedure set() { x := 1; }
        procedure main() { local a: thread; a := spawn set(); join a; assert x == 1; }
        thread main main;";
    errs(source, 1, false);
    errs(source, 2, false);
    errs(&source.replace("join a;", ""), 1, true);
}

#[test]
fn results_come_back() {
    let source = "shared x: i32;
        procedure get() -> i32 { local t: i32; t := x; return t; }
        procedure main() { local a: thread; local r: i32;
            a := spawn get(); x := 1; r := join a; assert r != N; }
        thread main main;";
    for (n, expected) in [("0", true), ("1", true), ("2", false)] {
        errs(&source.replace('N', n), 2, expected);
    }
}

#[test]
fn choices_and_blocks_are_followed() {
    let source = "shared x: i32; shared y: i32;
        procedure worker() { local t: i32;
            choose { x := 1; } or { x := 2; } or { atomic { t := x; x := t + 3; } }
            atomic { t := y; y := t + 1; } }
        procedure main() { local t: i32; local c: bool;
            spawn worker(); spawn worker(); havoc c;
            wait y == 2;
            if (c) { assert x != N; } }
        thread main main;";
    for (n, expected) in [("4", true), ("3", false)] {
        errs(&source.replace('N', n), 1, expected);
    }
}

#[test]
fn recursion_is_followed_as_deep_as_the_bound() {
    let source = "shared x: i32;
        procedure down(n: i32) -> i32 { local r: i32;
            if (n == 0) { r := x; return r; }
            r := call down(n - 1); return r + 1; }
        procedure set() { x := 1; }
        procedure main() { local r: i32; spawn set(); r := call down(N); assert r != 3; }
        thread main main;";
    errs(&source.replace('N', "2"), 1, true);
    // Beyond the bound there is nothing to see.
    errs(&source.replace('N', "3"), 1, false);
}

#[test]
fn initial_threads_of_any_number_and_spawns_in_loops() {
    let any = "shared x: i32;
        procedure worker() { local t: i32; atomic { t := x; x := t + 1; } assert t < 1; }
        thread any worker;";
    errs(any, 1, true);
    let looped = "shared x: i32;
        procedure worker() { local t: i32; atomic { t := x; x := t + 1; } assert t < 1; }
        procedure main() { local c: bool; havoc c; while (c) { spawn worker(); havoc c; } }
        thread main main;";
    errs(looped, 1, true);
    errs(&looped.replace("t < 1", "t < 2"), 1, false);
}

#[test]
fn assumptions_stop_a_thread_but_not_the_others() {
    let source = "shared x: i32;
        procedure stuck() { x := 1; assume false; }
        procedure main() { spawn stuck(); assert x == 0; }
        thread main main;";
    errs(source, 1, true);
}

#[track_caller]
fn verdict(source: &str, contexts: u32, unwind: u32, violation: bool) {
    let options = super::Options {
        contexts: Some(contexts),
        unwind: Some(unwind),
        ..super::Options::new(&[Property::Assert])
    };
    let answer = super::verify(&parse(source), &options, &mut |_| {});
    match answer {
        Ok(Verdict::Unsafe(_)) if violation => {}
        Err(Stop::Bound { .. }) if !violation => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_solver_agrees() {
    verdict(LOST_UPDATE, 1, 1, false);
    verdict(LOST_UPDATE, 2, 1, true);
}

/// Rounds of a search with slicing, and its answer.
fn sliced(source: &str, contexts: u32) -> (Vec<super::Round>, Result<Verdict, Stop>) {
    let options = super::Options {
        contexts: Some(contexts),
        unwind: Some(1),
        slice: super::Slice::Always,
        ..super::Options::new(&[Property::Assert])
    };
    let mut rounds = Vec::new();
    let answer = super::verify(&parse(source), &options, &mut |round| rounds.push(round.clone()));
    (rounds, answer)
}

/// `noise` and `other` are written and read, but do not matter.
const FIELDS: &str = "shared x: i32; shared noise: i32; shared other: i32; shared held: i32;
    procedure inc() { local t: i32; local n: i32;
        n := noise; noise := n + 1; other := n;
        LOCK t := x; x := t + 1; UNLOCK
        n := other; noise := n; }
    procedure main() { local a: thread; local b: thread;
        a := spawn inc(); b := spawn inc(); noise := 3; join a; join b;
        assert x == 2; }
    thread main main;";

#[test]
fn fields_that_do_not_matter_are_not_tracked() {
    // A lock that the passes do not recognise as one.
    let correct = FIELDS
        .replace("UNLOCK", "held := 0;")
        .replace("LOCK", "atomic { n := held; wait n == 0; held := 1; }");
    let (rounds, answer) = sliced(&correct, 2);
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
    let rounds = rounds.into_iter().filter(|round| round.bounds.contexts == 2);
    let mut tracked: Vec<Vec<String>> = rounds.filter_map(|r| r.tracked).collect();
    tracked.iter_mut().for_each(|names| names.sort());
    assert_eq!(tracked, [vec!["x".to_owned()], vec!["held".to_owned(), "x".to_owned()]]);

    let wrong = FIELDS.replace("UNLOCK", "").replace("LOCK", "");
    let (rounds, answer) = sliced(&wrong, 2);
    assert!(matches!(answer, Ok(Verdict::Unsafe(_))), "{answer:?}");
    assert!(rounds.iter().all(|round| round.tracked == Some(vec!["x".to_owned()])));
}

#[test]
fn reasons_that_have_nothing_to_do_with_each_other_are_found_together() {
    let source = "shared a: i32; shared b: i32; shared noise: i32;
        procedure other() { local n: i32; havoc n; assume n < 3; a := n; b := n; noise := n; }
        procedure main() { local t: thread; local x: i32; local y: i32; local n: i32;
            t := spawn other(); n := noise; x := a; y := b;
            if (x == 5 && y == 7) { assert false; } }
        thread main main;";
    let (rounds, answer) = sliced(source, 1);
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
    let tracked: Vec<Vec<String>> = rounds.into_iter().filter_map(|r| r.tracked).collect();
    assert_eq!(tracked, [vec![], vec!["a".to_owned(), "b".to_owned()]]);
}

/// A thread that gives up in the middle of something that does not matter has no reason for it.
#[test]
fn what_a_thread_does_before_it_stops_is_no_reason() {
    let source = "shared x: i32; shared noise: i32; shared mask: i32;
        procedure other() { local n: i32; local m: i32;
            x := 1;
            m := mask;
            if (m == 0) { n := noise; noise := n + 1; }
            n := noise; if (n == 7) { x := 2; } }
        procedure main() { local t: thread; local v: i32; local n: i32;
            mask := 1; noise := 0; t := spawn other();
            v := x; assert v != 2; }
        thread main main;";
    let (rounds, answer) = sliced(source, 2);
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
    let last = rounds.last().and_then(|round| round.tracked.clone()).unwrap_or_default();
    assert!(last.contains(&"noise".to_owned()) && last.contains(&"x".to_owned()), "{last:?}");

    // Whether `noise` is counted makes no difference to `x`.
    let harmless = source.replace("n == 7", "n == 7 && n == 8");
    let (rounds, answer) = sliced(&harmless, 2);
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
    let tracked = rounds.iter().filter_map(|round| round.tracked.as_ref());
    assert!(tracked.flatten().all(|field| field != "mask"), "{rounds:?}");
}

#[test]
fn no_thread_stops_inside_an_atomic_block() {
    let source = "shared g: u2; shared cell: i32;
        procedure worker() { local a: u2;
            a := g;
            atomic { g := a + 1; cell := 1; skip; }
            a := g; assert a != 2; }
        procedure main() { local t: thread; local u: thread;
            t := spawn worker(); u := spawn worker(); }
        thread main main;";
    let (_, answer) = sliced(source, 2);
    assert!(matches!(answer, Ok(Verdict::Unsafe(_))), "{answer:?}");
}

/// What is left out of a path is filled in when the path is replayed: inside a block, before the
/// first step, behind the last of a context.
#[test]
fn gaps_are_filled_in() {
    let source = "shared g: i32; shared mask: i32; shared cell: i32; shared seen: i32;
        procedure worker() { local a: i32; local m: i32; local c: i32;
            m := mask; if (m == 1) { c := cell; cell := c + 1; }
            a := g;
            m := mask; if (m == 1) { c := cell; if (c == 2) { seen := 1; } else { seen := 2; } }
            atomic {
                g := a + 1;
                m := mask; if (m == 1) { cell := 5; seen := m; }
                a := g;
            }
            a := g; assert a != 2; }
        procedure main() { local t: thread; local u: thread;
            mask := 1; g := 0; t := spawn worker(); u := spawn worker(); }
        thread main main;";
    let (rounds, answer) = sliced(source, 2);
    assert!(matches!(answer, Ok(Verdict::Unsafe(_))), "{answer:?}");
    let last = rounds.last().and_then(|round| round.tracked.clone());
    assert_eq!(last, Some(vec!["g".to_owned()]));
}

/// A loop that does not matter needs no bound, and its rounds are no part of the path.
#[test]
fn loops_that_do_not_matter_are_passed_by() {
    let source = "shared x: i32; shared sum: i32;
        procedure inc() { local t: i32; local i: i32; local s: i32;
            i := 0;
            while (i < 1000) { s := sum; if (s < 500) { sum := s + i; } i := i + 1; }
            t := x; x := t + 1; }
        procedure main() { local a: thread; local b: thread;
            a := spawn inc(); b := spawn inc(); join a; join b;
            assert x == 2; }
        thread main main;";
    let (rounds, answer) = sliced(source, 2);
    assert!(matches!(answer, Ok(Verdict::Unsafe(_))), "{answer:?}");
    assert!(rounds.iter().all(|round| round.tracked == Some(vec!["x".to_owned()])), "{rounds:?}");
    let (_, answer) = sliced(source, 1);
    let Err(Stop::Bound { what }) = answer else { panic!("{answer:?}") };
    assert!(what.contains("loops passed any number of times"), "{what}");
}
