//! Rounds in which only the fields that matter are tracked.

use selvedge_verdict::{Budget, Measure, Round, Stop, Verdict};

use super::super::options::{Own, Slice};
use super::run;

fn sliced(source: &str, contexts: u32) -> (Vec<Round>, Result<Verdict, Stop>) {
    let own =
        Own { contexts: Some(contexts), unwind: Some(1), slice: Slice::Always, ..Own::default() };
    run(source, own, Budget::unlimited())
}

/// The names of the fields that a round tracks; none where it tracks all.
fn tracked(round: &Round) -> Option<Vec<String>> {
    match round.measure("tracked")? {
        Measure::Names(names) => Some(names.clone()),
        other => panic!("{other:?}"),
    }
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
    let rounds = rounds.iter().filter(|round| round.number("contexts") == Some(2));
    let mut tracked: Vec<Vec<String>> = rounds.filter_map(tracked).collect();
    tracked.iter_mut().for_each(|names| names.sort());
    assert_eq!(tracked, [vec!["x".to_owned()], vec!["held".to_owned(), "x".to_owned()]]);

    let wrong = FIELDS.replace("UNLOCK", "").replace("LOCK", "");
    let (rounds, answer) = sliced(&wrong, 2);
    assert!(matches!(answer, Ok(Verdict::Unsafe(_))), "{answer:?}");
    assert!(rounds.iter().all(|round| self::tracked(round) == Some(vec!["x".to_owned()])));
}

#[test]
fn independent_reasons_are_found_in_one_round() {
    let source = "shared a: i32; shared b: i32; shared noise: i32;
        procedure other() { local n: i32; havoc n; assume n < 3; a := n; b := n; noise := n; }
        procedure main() { local t: thread; local x: i32; local y: i32; local n: i32;
            t := spawn other(); n := noise; x := a; y := b;
            if (x == 5 && y == 7) { assert false; } }
        thread main main;";
    let (rounds, answer) = sliced(source, 1);
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
    let tracked: Vec<Vec<String>> = rounds.iter().filter_map(tracked).collect();
    assert_eq!(tracked, [vec![], vec!["a".to_owned(), "b".to_owned()]]);
}

/// A thread that gives up in the middle of something that does not matter has no reason for it.
#[test]
fn untracked_branches_before_a_stop_are_no_reason() {
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
    let last = rounds.last().and_then(tracked).unwrap_or_default();
    assert!(last.contains(&"noise".to_owned()) && last.contains(&"x".to_owned()), "{last:?}");

    // Whether `noise` is counted makes no difference to `x`.
    let harmless = source.replace("n == 7", "n == 7 && n == 8");
    let (rounds, answer) = sliced(&harmless, 2);
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
    let mut tracked = rounds.iter().filter_map(tracked).flatten();
    assert!(tracked.all(|field| field != "mask"), "{rounds:?}");
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
fn steps_left_out_of_a_path_are_filled_in_on_replay() {
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
    let last = rounds.last().and_then(tracked);
    assert_eq!(last, Some(vec!["g".to_owned()]));
}

/// A loop that does not matter needs no bound, and its rounds are no part of the path.
#[test]
fn irrelevant_loops_need_no_bound() {
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
    assert!(rounds.iter().all(|r| tracked(r) == Some(vec!["x".to_owned()])), "{rounds:?}");
    let (_, answer) = sliced(source, 1);
    let Err(Stop::Bound { what, .. }) = answer else { panic!("{answer:?}") };
    assert!(what.contains("loops passed any number of times"), "{what}");
}

/// The assertion looks at `x`; only `y` shows that it holds. `noise` does not matter.
const NEEDS_ANOTHER: &str = "shared x: i32; shared y: i32; shared noise: i32;
    procedure other() { local n: i32; havoc n; assume n < 3; y := n; noise := n; n := x; }
    procedure main() { local t: i32; local u: i32; local n: i32;
        spawn other(); n := noise; t := y; x := t; u := x; assert u != 5; }
    thread main main;";

/// Where the user says which fields to track, no others are.
#[test]
fn fields_that_are_not_wanted_stop_the_refinement() {
    let own = |slice| Own {
        contexts: Some(1),
        unwind: Some(1),
        slice,
        track: Some(vec!["x".into()]),
        ..Own::default()
    };
    let (_, answer) = run(NEEDS_ANOTHER, own(Slice::Off), Budget::unlimited());
    let Err(Stop::Refinement { what }) = answer else { panic!("{answer:?}") };
    assert!(what.contains("`y`"), "{what}");
    let (_, answer) = run(NEEDS_ANOTHER, own(Slice::Auto), Budget::unlimited());
    assert!(matches!(answer, Err(Stop::Bound { .. })), "{answer:?}");
}
