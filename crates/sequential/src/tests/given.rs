//! Invariants that are given.

use std::collections::BTreeMap;

use selvedge_ir::{Action, Expr, LocationId, Property};
use selvedge_smt::Limits;

use super::super::{
    Argument, CheckResult, Flaw, Given, Options, Rejected, Run, SequentialProgram, check,
    loop_heads,
};
use super::{parse, prepared};

/// The body of `main`.
fn program(body: &str) -> SequentialProgram {
    let source = format!("procedure main() {{ {body} }} thread main main;");
    let properties = &[Property::Assert];
    let prepared = prepared(&parse(&source), properties);
    SequentialProgram::from_single(&prepared, properties).expect("one thread")
}

/// The condition of the assumption that the program ends with.
fn last_assumption(program: &SequentialProgram) -> Expr {
    let edges = program.body().edges();
    let conditions = edges.filter_map(|(_, edge)| match &edge.action {
        Action::Assume(condition) => Some((edge.span, condition.clone())),
        _ => None,
    });
    conditions.max_by_key(|(span, _)| (span.line, span.column)).expect("there are assumptions").1
}

fn decided(
    program: &SequentialProgram,
    given: BTreeMap<LocationId, Given>,
) -> (CheckResult, Vec<Rejected>) {
    let options = Options { given, ..Options::unwind(1) };
    let mut run = Run::new(Limits::none());
    let result = check(program, &options, &mut run).expect("a result");
    (result, run.rejected)
}

const LOOP: &str = "local i: u64; local s: u64; local n: u64; local c: bool; havoc n;
    assume n < 1000; i := 0; s := 0;
    while (i < n) { s := s + i + i + 1; i := i + 1; }
    assert s == n * n;";

fn with(invariant: &str) -> (CheckResult, Vec<Rejected>, LocationId) {
    let program = program(&format!("{LOOP} assume {invariant};"));
    let head = loop_heads(&program)[0];
    let given = BTreeMap::from([(head, last_assumption(&program).into())]);
    let (result, rejected) = decided(&program, given);
    (result, rejected, head)
}

#[test]
fn an_invariant_that_holds_is_used() {
    let (result, rejected, _) = with("s == i * i && i <= n && n < 1000");
    assert_eq!(rejected, []);
    let CheckResult::Correct(proof) = result else { panic!("{result:?}") };
    assert!(matches!(proof.by, Argument::Invariants(_)), "{proof:?}");
}

#[test]
fn an_invariant_that_does_not_hold_is_reported_and_not_used() {
    for (invariant, why) in [("i < n", Flaw::NotAtFirst), ("s <= 9 && s < n + 9", Flaw::NotKept)] {
        let (result, rejected, at) = with(invariant);
        assert_eq!(rejected, [Rejected { at, why }], "{invariant}");
        assert!(matches!(result, CheckResult::Bounded(_)), "{invariant}: {result:?}");
    }
}

#[test]
fn an_invariant_stands_at_a_loop() {
    let program = program(LOOP);
    let entry = program.body().entry;
    let (_, rejected) = decided(&program, BTreeMap::from([(entry, Expr::TRUE.into())]));
    assert_eq!(rejected, [Rejected { at: entry, why: Flaw::NoLoop }]);
}

#[test]
fn loops_without_an_invariant_are_left_to_the_solver() {
    let body = "local i: i32; local j: i32; local n: i32; havoc n; assume n >= 0; i := 0;
        while (i < n) { i := i + 1; } j := n;
        while (j > 0) { j := j - 1; } assert i == n && j == 0; assume j >= 0;";
    let program = program(body);
    let given = BTreeMap::from([(loop_heads(&program)[1], last_assumption(&program).into())]);
    let (result, _) = decided(&program, given);
    assert!(matches!(result, CheckResult::Correct(_)), "{result:?}");
}
