//! Figure 5 of the paper and its neighbours.

use selvedge_ir::spec::{Binding, Contract, When};
use selvedge_ir::{Expr, Int, Program, Type};

use super::build::*;
use super::{fails, program, proved, report};
use crate::Kind;

pub const SIMPLE_LOCK: &str = "
shared m: thread;
shared x: i32;

procedure acquire() {
    local t: thread = tid;
    while (t == tid) {
        atomic {
            if (m == none) { m := tid; t := none; }
        }
    }
}

procedure release() { m := none; }

procedure t1() {
    call acquire();
    x := x + 1;
    assert x > 0;
    call release();
}

procedure t2() {
    call acquire();
    x := 0;
    call release();
}

procedure main() {
    spawn t1();
    spawn t2();
}

thread main main;
";

fn acquire(program: &Program) -> Contract {
    let mut b = Build::new(program);
    let (old, new) = (b.holder("m", When::Before), b.holder("m", When::After));
    let taken = b.clause(and(eq(old, nobody()), eq(new, Expr::Tid)), "m == 0 && m' == tid");
    let m = global_target(program, "m", Type::Thread);
    let procedure = program.procedure_named("acquire").unwrap();
    Contract { actions: vec![action(vec![m], vec![taken])], ..contract(procedure) }
}

fn release(program: &Program) -> Contract {
    let mut b = Build::new(program);
    let new = b.holder("m", When::After);
    let freed = b.clause(eq(new, nobody()), "m' == 0");
    let m = global_target(program, "m", Type::Thread);
    let mut b = Build::new(program);
    let held = b.holder("m", When::Before);
    let held = b.clause(eq(held, Expr::Tid), "m == tid");
    let mut b = Build::new(program);
    let x = b.int("x", When::Before);
    let positive = b.clause(le(number(0), x), "x >= 0");
    let procedure = program.procedure_named("release").unwrap();
    Contract {
        requires: vec![held, positive],
        actions: vec![action(vec![m], vec![freed])],
        ..contract(procedure)
    }
}

pub fn simple_lock(model: &str) -> Program {
    let mut program = program(model);
    let mut b = Build::new(&program);
    let (m, x) = (b.holder("m", When::Before), b.int("x", When::Before));
    let invariant = b.clause(implies(eq(m, nobody()), le(number(0), x)), "m == 0 ==> x >= 0");
    let environment = vec![
        guarded_by(&program, "m", "m", Type::Thread),
        guarded_by(&program, "m", "x", Type::Int(Int::I32)),
    ];
    program.spec.contracts = vec![acquire(&program), release(&program)];
    program.spec.environment = environment;
    program.spec.invariants = vec![invariant];
    program
}

/// The counter must not wrap around; mathematical integers in the paper have no such case.
pub fn bounded(model: &str) -> String {
    model.replace("x := x + 1;", "assume x < 100; x := x + 1;")
}

#[test]
fn the_simple_lock_is_proved() {
    proved(&simple_lock(&bounded(SIMPLE_LOCK)));
}

#[test]
fn the_largest_integer_wraps_around() {
    let program = simple_lock(SIMPLE_LOCK);
    fails(&program, |kind| matches!(kind, Kind::Assertion(_)));
}

#[test]
fn without_the_lock_it_is_not() {
    let program = simple_lock(&bounded(SIMPLE_LOCK).replacen("call acquire();", "skip;", 1));
    fails(&program, |kind| *kind == Kind::Guarantee);
    fails(&program, |kind| matches!(kind, Kind::Assertion(_)));
}

#[test]
fn a_lock_that_takes_what_others_hold_is_found() {
    let program = simple_lock(&bounded(SIMPLE_LOCK).replace("if (m == none)", "if (true)"));
    fails(&program, |kind| *kind == Kind::Guarantee);
    fails(&program, |kind| *kind == Kind::Allowed);
}

#[test]
fn a_lock_that_returns_without_is_found() {
    let program = simple_lock(&bounded(SIMPLE_LOCK).replace("m := tid; t := none;", "t := none;"));
    fails(&program, |kind| *kind == Kind::Finished);
}

#[test]
fn the_wrong_thread_must_not_release() {
    let source = bounded(SIMPLE_LOCK).replace(
        "x := 0;\n    call release();",
        "x := 0;\n    call release();\n    call release();",
    );
    fails(&simple_lock(&source), |kind| matches!(kind, Kind::Requires(_)));
}

#[test]
fn the_initial_memory_must_satisfy_the_invariant() {
    let source = bounded(SIMPLE_LOCK).replace("shared x: i32;", "shared x: i32 = -1;");
    fails(&simple_lock(&source), |kind| *kind == Kind::Initial);
}

#[test]
fn an_assumption_that_is_not_transitive_is_said() {
    let mut program = simple_lock(&bounded(SIMPLE_LOCK));
    let mut b = Build::new(&program);
    let (old, new) = (b.int("x", When::Before), b.int("x", When::After));
    let one = Expr::binary(selvedge_ir::BinaryOp::Add, old.clone(), number(1));
    let step = b.clause(or(eq(new.clone(), old), eq(new, one)), "x' == x || x' == x + 1");
    program.spec.environment.push(step);
    fails(&program, |kind| *kind == Kind::Transitive);
}

#[test]
fn contradictory_requirements_are_said() {
    let mut program = simple_lock(&bounded(SIMPLE_LOCK));
    let mut b = Build::new(&program);
    let x = b.int("x", When::Before);
    let negative = b.clause(le(x, number(-5)), "x <= -5");
    program.spec.contracts[1].requires.push(negative);
    fails(&program, |kind| matches!(kind, Kind::Consistent(_)));
}

#[test]
fn a_failure_shows_the_state_in_words() {
    let program = simple_lock(&bounded(SIMPLE_LOCK).replacen("call acquire();", "skip;", 1));
    let report = report(&program);
    let failed = report.obligations().find_map(|o| match (&o.kind, &o.outcome) {
        (Kind::Guarantee, crate::Outcome::Failed(changes)) => Some(changes.clone()),
        _ => None,
    });
    let changes = failed.unwrap();
    let of = |name: &str| changes.iter().find(|change| change.name == name).unwrap();
    assert!(of("x").after.is_some());
    assert!(of("holder(m)").before.starts_with("thread"));
}

#[test]
fn others_run_at_the_head_of_a_loop() {
    let program = program(
        "shared x: i32;
         procedure other() { x := 1; }
         procedure main() {
             local t: i32;
             local a: thread;
             L0: a := spawn other() -> L1;
             L1: store x := 0 -> L2;
             L2: t := load x -> L3;
             L3: assert t == 0 -> L4;
             L4: skip -> L2; skip -> L5;
             exit L5:
         }
         thread main main;",
    );
    fails(&program, |kind| matches!(kind, Kind::Assertion(_)));
}

#[test]
fn the_first_thread_need_not_be_called_main() {
    let mut program = program(
        "shared x: i32;
         procedure first() { x := 1; }
         procedure second() { x := 2; }
         thread first;
         thread second;",
    );
    let mut b = Build::new(&program);
    let main = b.bind(Type::Thread, Binding::Main);
    let (old, new) = (b.int("x", When::Before), b.int("x", When::After));
    let clause = b.clause(or(eq(main, Expr::Tid).not(), eq(new, old)), "only the first writes x");
    program.spec.environment = vec![clause];
    let report = report(&program);
    let failed: Vec<usize> = (report.parts.iter().map(|part| &part.obligations))
        .map(|all| all.iter().filter(|o| !o.outcome.is_proved()).count())
        .collect();
    assert_eq!(failed, [0, 0, 1]);
}
