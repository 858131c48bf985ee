//! Single-threaded programs, against what they are known to do and against the concrete semantics.

mod given;
mod horn;
mod random;

use std::time::Duration;

use selvedge_budget::{Clock, Moment};
use selvedge_exec::{Options as ExecOptions, Stop};
use selvedge_ir::{Action, BinaryOp, Expr, Grain, Int, Program, Property, Span, text};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::Limits;

use super::interleave::{Steps, interleave};
use super::{Beyond, CheckResult, Options, Run, SequentialProgram, check};

fn parse(source: &str) -> Program {
    text::parse("test.plato", source).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Limits of work, as a time.
fn work(units: u64) -> (Limits, Duration) {
    let time = Clock::time_for(units);
    (Limits::until(&Clock::counting(), Moment::START + time), time)
}

fn prepared(program: &Program, properties: &[Property]) -> Prepared {
    let properties = properties.to_vec();
    prepare(program, &selvedge_passes::Options { properties, ..Default::default() })
}

fn checked(program: &Program, properties: &[Property], options: &Options) -> CheckResult {
    let prepared = prepared(program, properties);
    let sequential = SequentialProgram::from_single(&prepared, properties).expect("one thread");
    let mut run = Run::new(Limits::none());
    let result = check(&sequential, options, &mut run).expect("a result");
    if let CheckResult::Wrong(path) = &result {
        let exec = ExecOptions::new(properties);
        if let Err(what) = interleave(program, &prepared, &exec, &sequential, path, Steps::All) {
            panic!("{what}\n{path:?}\n{}", sequential.listing());
        }
    }
    result
}

/// The body of `main`, behind declarations that start the source.
#[track_caller]
fn expect(globals: &str, body: &str, unwind: u32, expected: &str) {
    let source = format!("{globals} procedure main() {{ {body} }} thread main main;");
    let properties = &[Property::Assert, Property::Memory];
    let found = match checked(&parse(&source), properties, &Options::unwind(unwind)) {
        CheckResult::Correct(_) => "correct",
        CheckResult::Bounded(b) if b.beyond == Beyond::Unwind => "bounded",
        CheckResult::Bounded(_) => "cut",
        CheckResult::Wrong(_) => "wrong",
    };
    assert_eq!(found, expected, "{source}");
}

#[test]
fn branches_and_inputs() {
    let body = "local x: i32; local y: i32; havoc x;
        if (x > 10) { y := x - 10; } else { y := 10 - x; }";
    expect("", &format!("{body} assert y >= 0;"), 1, "wrong");
    expect(
        "",
        &format!("assume x < 100 && x > -100; {body} assert y >= 0;").replace(
            "assume x < 100 && x > -100; local x: i32; local y: i32; havoc x;",
            "local x: i32; local y: i32; havoc x; assume x < 100 && x > -100;",
        ),
        1,
        "correct",
    );
}

#[test]
fn loops_are_unrolled_as_far_as_the_bound() {
    let body = "local i: i32; local n: i32; havoc n; i := 0;
        while (i < n) { i := i + 1; } assert i != 3;";
    expect("", body, 1, "bounded");
    expect("", body, 4, "wrong");
}

/// Without a question to the solver, too, a clock that counts work runs out.
#[test]
fn unrolling_counts_as_work() {
    let source = "procedure main() { local c: bool; local i: i32; i := 0; havoc c;
        while (c) { i := i + 1; havoc c; } assert i < 10; } thread main main;";
    let prepared = prepared(&parse(source), &[Property::Assert]);
    let program = SequentialProgram::from_single(&prepared, &[Property::Assert]);
    let mut run = Run::new(work(5_000).0);
    let result = check(&program.expect("one thread"), &Options::unwind(100_000), &mut run);
    assert!(matches!(result, Err(Stop::Time { .. })), "{result:?}");
}

#[test]
fn counting_loops_end_by_themselves() {
    let body = "local i: i32; local s: i32; i := 0; s := 0;
        while (i < 10) { s := s + i; i := i + 1; } assert s == 45;";
    expect("", body, 1, "correct");
    expect("", &body.replace("45", "46"), 1, "wrong");
}

#[test]
fn nested_loops() {
    let body = "local i: i32; local j: i32; local c: i32; local n: i32; havoc n;
        assume n >= 0 && n < 3; i := 0; c := 0;
        while (i < n) { j := 0; while (j < n) { c := c + 1; j := j + 1; } i := i + 1; }
        assert c != 4;";
    expect("", body, 3, "wrong");
    expect("", &body.replace("c != 4", "c == n * n"), 3, "correct");
}

#[test]
fn memory_by_constant_addresses_and_by_others() {
    let globals = "shared a: i32[4]; shared p: ptr;";
    expect(globals, "a[0] := 1; a[1] := 2; assert a[0] == 1;", 1, "correct");
    let body = "local i: i64; havoc i; assume i >= 0 && i < N; a[i] := 7; assert a[2] == 0;";
    expect(globals, &body.replace('N', "2"), 1, "correct");
    expect(globals, &body.replace('N', "3"), 1, "wrong");
    let body = body.replace("assert a[2] == 0;", "").replace('N', "5");
    expect(globals, &body, 1, "wrong");
}

#[test]
fn choices() {
    let body = "local x: i32; x := 0; choose { x := 1; } or { x := 2; } or { x := 3; }
        assert x != N;";
    for n in ["1", "2", "3"] {
        expect("", &body.replace('N', n), 1, "wrong");
    }
    expect("", &body.replace('N', "4"), 1, "correct");
}

#[test]
fn faults() {
    let body = "local x: i32; local y: i32; havoc x; y := 10 / x; assert y <= 10;";
    expect("", body, 1, "wrong");
    let good = body.replace("y := 10", "assume x > 0; y := 10");
    expect("", &good, 1, "correct");
}

/// A local that is read only behind a fault is live before it.
#[test]
fn locals_that_matter_only_behind_a_fault() {
    let source = "procedure main() { local v: i32; local c: bool; local x: i32; local y: i32;
        havoc c; havoc x; if (c) { v := 1; } else { v := 2; } y := 10 / x;
        assert v != 7; assert y != 11; }
        thread main main;";
    let properties = &[Property::Assert];
    let prepared = prepared(&parse(source), properties);
    for (value, wrong) in [(0, false), (1, true), (2, true), (3, false)] {
        let mut program =
            SequentialProgram::from_single(&prepared, properties).expect("one thread");
        let body = &mut program.program.procedures[program.procedure];
        let named = |local: &selvedge_ir::Local| local.name.ends_with('v');
        let v = body.locals.iter().find(|(_, local)| named(local)).expect("a local").0;
        let divides = |action: &Action| format!("{action:?}").contains("Div");
        let division = body.edges().find(|(_, edge)| divides(&edge.action)).expect("an edge").0;
        let (there, exit) = (body.add_location(Grain::Yield), body.exit);
        body.locations[division.from].edges[division.index as usize].target = exit;
        let is = Expr::binary(BinaryOp::Eq, Expr::Local(v), Expr::int(value, Int::I32));
        body.add_edge(there, Action::Assume(is), exit, Span::NONE);
        program.faults.insert(division, there);
        let mut run = Run::new(Limits::none());
        let result = check(&program, &Options::unwind(1), &mut run).expect("a result");
        assert_eq!(matches!(result, CheckResult::Wrong(_)), wrong, "{value}: {result:?}");
    }
}
