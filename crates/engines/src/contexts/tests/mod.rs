//! The translation against the concrete semantics, without a solver.

mod enumerate;

use selvedge_ir::{Program, Property, check, text};
use selvedge_passes::{Prepared, prepare};

use super::Bounds;
use super::sequentialize::{Plan, Sequentialized, sequentialize};

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
    let result = sequentialize(&prepared, &Plan { bounds, properties, tracked: None });
    let violations = check::check(&result.sequential.program);
    assert!(
        violations.is_empty(),
        "{}",
        check::listing(&result.sequential.program, &violations)
    );
    result
}

#[track_caller]
fn errs(source: &str, contexts: u32, expected: bool) {
    let result = translated(source, contexts, 2);
    let found = enumerate::error_path(&result.sequential).is_some();
    assert_eq!(found, expected, "{}", result.sequential.listing());
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
