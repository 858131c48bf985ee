//! The translation against the concrete semantics, without a solver.

mod contract;
mod enumerate;
mod slicing;
mod unbounded;

use selvedge_ir::{Program, Property, check, text};
use selvedge_passes::{Prepared, prepare};
use selvedge_sequential::interleave::{Steps, interleave};
use selvedge_verdict::{Budget, Event, Options, Round, Run, Stop, Verdict};

use super::bounds::Bounds;
use super::options::Own;
use super::plan::Plan;
use super::sequentialize::{Sequentialized, sequentialize};
use super::verify;

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
    let properties = &[Property::Assert];
    let options =
        selvedge_exec::Options { any_threads: Some(2), ..selvedge_exec::Options::new(properties) };
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

/// The rounds of a run, and its answer.
fn run(source: &str, own: Own, budget: Budget) -> (Vec<Round>, Result<Verdict, Stop>) {
    let mut rounds = Vec::new();
    let listen = |event| {
        if let Event::Round(round) = event {
            rounds.push(round);
        }
    };
    let options = Options::with(&[Property::Assert], own);
    let answer = verify(&parse(source), &options, &mut Run::new(budget, listen));
    (rounds, answer)
}

#[track_caller]
fn verdict(source: &str, contexts: u32, unwind: u32, violation: bool) {
    let own = Own { contexts: Some(contexts), unwind: Some(unwind), ..Own::default() };
    match run(source, own, Budget::unlimited()).1 {
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
