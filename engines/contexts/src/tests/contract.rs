//! What every engine promises.

use selvedge_ir::Property;
use selvedge_verdict::{Budget, Integers, Options, Run, Stop, Verdict};

use super::super::{NAME, Own, dump, fields, verify};
use super::{LOST_UPDATE, parse, run};

/// A loop without end, and nothing that goes wrong: the bounds grow until the work is used up.
const ENDLESS: &str = "shared x: u8;
    procedure worker() { local t: u8; local c: bool; havoc c;
        while (c) { t := x; x := t * t + 1; havoc c; } }
    procedure main() { local t: u8; spawn worker(); spawn worker();
        while (true) { t := x; x := t + 2; assert t * t != 3; } }
    thread main main;";

#[test]
fn bounds_grow_until_the_work_is_used_up() {
    let (rounds, answer) = run(ENDLESS, Own::default(), Budget::work(1_000_000));
    assert!(matches!(answer, Err(Stop::Bound { grows: true, .. })), "{answer:?}");
    let bounds = |name| rounds.iter().filter_map(|round| round.number(name)).max();
    assert!(bounds("contexts") > Some(2) && bounds("unwind") > Some(2), "{rounds:?}");
}

#[test]
fn without_work_there_is_no_answer() {
    let (_, answer) = run(LOST_UPDATE, Own::default(), Budget::work(1));
    assert_eq!(answer.map(|_| ()).expect_err("no work"), Stop::Work { limit: 1 });
}

#[test]
fn rounds_say_what_they_tried() {
    let own = Own { contexts: Some(1), unwind: Some(1), ..Own::default() };
    let (rounds, _) = run(LOST_UPDATE, own, Budget::unlimited());
    let names: Vec<&str> = rounds[0].measures.iter().map(|(name, _)| name.as_ref()).collect();
    assert_eq!(names, ["contexts", "unwind", "threads", "points", "terms", "copies", "fields"]);
    assert_eq!(rounds[0].number("threads"), Some(3));
}

#[test]
fn unsupported_questions_are_refused_before_any_work() {
    let program = parse(LOST_UPDATE);
    let ask = |options: &Options<Own>| {
        verify(&program, options, &mut Run::silent(Budget::work(0))).map(|_: Verdict| ())
    };
    let mut options = Options::new(&[Property::Invariant]);
    let (engine, property) = (NAME.to_owned(), Property::Invariant);
    assert_eq!(ask(&options), Err(Stop::Property { engine, property }));
    options = Options { integers: Integers::Math, ..Options::new(&[Property::Assert]) };
    assert!(matches!(ask(&options), Err(Stop::Option { .. })));
}

#[test]
fn the_listing_shows_the_first_round() {
    let program = parse(LOST_UPDATE);
    let options = |contexts| {
        let own = Own { contexts, unwind: Some(3), ..Own::default() };
        Options::with(&[Property::Assert], own)
    };
    let listing = |options: &Options<Own>| {
        let run = Run::silent(Budget::work(1_000_000));
        dump(&program, options, &run).expect("a listing")
    };
    assert_eq!(fields(&program, &options(None)), ["x"]);
    assert!(listing(&options(None)).starts_with("// contexts 1, unwind 3, threads 3\n"));
    let two = listing(&options(Some(2)));
    assert!(two.starts_with("// contexts 2, unwind 3, threads 3\n// tracked: all\n"), "{two}");
    let wrong = Own { track: Some(vec!["y".into()]), ..Own::default() };
    let run = Run::silent(Budget::work(1_000_000));
    let wrong = dump(&program, &Options::with(&[Property::Assert], wrong), &run);
    assert!(wrong.is_err_and(|stop| stop.to_string().contains("`y`: no field has this name")));
}
