//! `horn` as every engine: reasons for no verdict, the option for one level, stages as text, and
//! answers that depend on nothing but the work.

use selvedge_horn::{NAME, Own, STAGES, dump, verify};
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Budget, Event, Options, Run, Stop, Verdict};

const COUNTER: &str = "shared x: i32; shared m: thread;
    procedure worker() { local t: i32;
        lock m; t := x; x := t + 1; assert x > 0; x := t; unlock m; }
    thread any worker;";

fn program(source: &str) -> Program {
    text::parse("test.plato", source).expect("a good program")
}

fn asserts(own: Own) -> Options<Own> {
    Options::with(&[Property::Assert], own)
}

#[test]
fn deadlocks_are_not_checked() {
    let options = Options::new(&[Property::Assert, Property::Deadlock]);
    let mut run = Run::silent(Budget::unlimited());
    let found = verify(&program(COUNTER), &options, &mut run).map(|_| ());
    assert_eq!(found, Err(Stop::Property { engine: NAME.into(), property: Property::Deadlock }));
}

#[test]
fn work_that_is_used_up_is_the_reason() {
    let mut run = Run::silent(Budget::work(10));
    let found = verify(&program(COUNTER), &asserts(Own::default()), &mut run).map(|_| ());
    assert_eq!(found, Err(Stop::Work { limit: 10 }));
}

/// Rounds and verdict, as text.
fn log(source: &str, own: Own, budget: Budget) -> Vec<String> {
    let mut log = Vec::new();
    let mut run = Run::new(budget, |event| {
        if let Event::Round(round) = event {
            log.push(round.to_string());
        }
    });
    let found = verify(&program(source), &asserts(own), &mut run);
    drop(run);
    log.push(match found {
        Ok(Verdict::Safe(_)) => "safe".into(),
        Ok(Verdict::Unsafe(_)) => "unsafe".into(),
        Err(stop) => stop.to_string(),
    });
    log
}

#[test]
fn the_same_work_gives_the_same_rounds() {
    let first = log(COUNTER, Own::default(), Budget::work(30_000_000));
    let second = log(COUNTER, Own::default(), Budget::work(30_000_000));
    assert_eq!(first, second);
    assert_eq!(first.last().map(String::as_str), Some("safe"));
}

#[test]
fn only_the_level_asked_for_is_tried() {
    let log = log(COUNTER, Own { level: Some(2) }, Budget::work(30_000_000));
    let (verdict, rounds) = log.split_last().expect("a verdict");
    assert_eq!(verdict, "safe", "{log:#?}");
    assert!(rounds.iter().all(|round| round.starts_with("level 2, ")), "{log:#?}");
}

#[test]
fn a_failing_assertion_is_replayed() {
    let wrong = COUNTER.replace("x > 0", "x > 1");
    let log = log(&wrong, Own::default(), Budget::work(30_000_000));
    assert_eq!(log.last().map(String::as_str), Some("unsafe"), "{log:#?}");
}

#[test]
fn stages_as_text() {
    let run = Run::silent(Budget::unlimited());
    let options = asserts(Own { level: Some(2) });
    let stage = |name: &str| dump(&program(COUNTER), &options, &run, name);
    let [promote, system, clauses] = STAGES.map(|name| stage(name).expect(name));
    assert!(promote.contains("procedure worker"), "{promote}");
    assert!(system.contains("worker"), "{system}");
    assert!(
        clauses.starts_with("; level 2\n") && clauses.contains("(set-logic HORN)"),
        "{clauses}"
    );
    let unknown = stage("parse");
    assert!(matches!(unknown, Err(Stop::Option { .. })), "{unknown:?}");
}
