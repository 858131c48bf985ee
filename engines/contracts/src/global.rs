//! What is asked of the specification itself: that the environment assumption is reflexive and
//! transitive, that what is assumed can hold, and that the program begins in it.

use selvedge_ir::spec::Clause;
use selvedge_ir::{Const, Expr, Span, Type};
use selvedge_smt::translate::Sym;
use selvedge_smt::{Answer, Reason, Term};
use selvedge_verdict::Stop;

use crate::checker::{Task, of_clause, unknown};
use crate::memory::Memory;
use crate::report::{Kind, Obligation, Outcome};
use crate::world::{View, World};

pub(crate) fn specification(task: &Task<'_>) -> Result<Vec<Obligation>, Stop> {
    let mut found = Vec::new();
    reflexive(task, &mut found)?;
    transitive(task, &mut found)?;
    consistent(task, &mut found)?;
    begins(task, &mut found)?;
    Ok(found)
}

fn view(world: &World<'_>, before: &Memory, after: &Memory) -> View {
    let (before, after) = (before.clone(), after.clone());
    View { before, after, tid: world.tid, params: Vec::new(), result: None, values: Vec::new() }
}

/// Any memory that the invariants allow.
fn some_memory<'a>(task: &Task<'a>, world: &mut World<'a>, name: &str) -> Memory {
    let memory = world.memory(name);
    let yes = world.terms.bool(true);
    for clause in &task.subject.program.spec.invariants {
        let view = view(world, &memory, &memory);
        world.assume(yes, &clause.formula, view);
    }
    memory
}

fn reflexive(task: &Task<'_>, found: &mut Vec<Obligation>) -> Result<(), Stop> {
    let mut world = World::new(task.subject, task.limits.clone());
    let memory = some_memory(task, &mut world, "memory");
    for clause in &task.subject.program.spec.environment {
        let view = view(&world, &memory, &memory);
        let goal = world.goal(&clause.formula, &view);
        found.push(asked(task, &mut world, Kind::Reflexive, clause, goal)?);
    }
    Ok(())
}

fn transitive(task: &Task<'_>, found: &mut Vec<Obligation>) -> Result<(), Stop> {
    let mut world = World::new(task.subject, task.limits.clone());
    let yes = world.terms.bool(true);
    let first = some_memory(task, &mut world, "first");
    let second = some_memory(task, &mut world, "second");
    let third = some_memory(task, &mut world, "third");
    let clauses = &task.subject.program.spec.environment;
    for (from, to) in [(&first, &second), (&second, &third)] {
        world.pass(yes, from, to, true);
        for clause in clauses {
            let view = view(&world, from, to);
            world.assume(yes, &clause.formula, view);
        }
    }
    for clause in clauses {
        let view = view(&world, &first, &third);
        let goal = world.goal(&clause.formula, &view);
        found.push(asked(task, &mut world, Kind::Transitive, clause, goal)?);
    }
    Ok(())
}

fn consistent(task: &Task<'_>, found: &mut Vec<Obligation>) -> Result<(), Stop> {
    let Some(clause) = task.subject.program.spec.invariants.first() else { return Ok(()) };
    let mut world = World::new(task.subject, task.limits.clone());
    some_memory(task, &mut world, "memory");
    let (yes, no) = (world.terms.bool(true), world.terms.bool(false));
    let outcome = match world.ask(yes, no) {
        Answer::Unsat(_) => Outcome::Failed(Vec::new()),
        Answer::Sat(_) | Answer::Unknown(Reason::Unreadable(_)) => Outcome::Proved,
        Answer::Unknown(reason) => unknown(reason, &task.limits)?,
    };
    let kind = Kind::Consistent("the invariants together".to_owned());
    let annotation = Some(of_clause(clause));
    found.push(Obligation { kind, at: clause.span, annotation, outcome });
    Ok(())
}

/// The invariants, and what the first threads require, in the initial memory.
fn begins(task: &Task<'_>, found: &mut Vec<Obligation>) -> Result<(), Stop> {
    let subject = task.subject;
    let program = &subject.program;
    let mut world = World::new(subject, task.limits.clone());
    let memory = Memory::initial(&mut world.terms, world.types, &subject.types, program);
    for clause in &program.spec.invariants {
        let view = view(&world, &memory, &memory);
        let goal = world.goal(&clause.formula, &view);
        found.push(asked(task, &mut world, Kind::Initial, clause, goal)?);
    }
    for thread in &program.threads {
        let Some(contract) = program.spec.contract_of(thread.procedure) else { continue };
        let procedure = &program.procedures[thread.procedure];
        let types = procedure.params.iter().map(|&param| procedure.locals[param].ty);
        let params: Vec<Sym> = types.map(|ty| zero(&mut world, ty)).collect();
        for clause in &contract.requires {
            let view = View { params: params.clone(), ..view(&world, &memory, &memory) };
            let goal = world.goal(&clause.formula, &view);
            let kind = Kind::Starts(procedure.name.clone());
            found.push(asked(task, &mut world, kind, clause, goal)?);
        }
    }
    Ok(())
}

fn zero(world: &mut World<'_>, ty: Type) -> Sym {
    let scope = &world.subject.program.procedures;
    let Some(procedure) = scope.values().next() else { return world.value("zero", ty) };
    let expr = Expr::Const(Const::zero(ty));
    let tid = world.tid;
    let none = |_| panic!("invariant: a constant has no locals");
    world.translate(procedure, &expr, &none, tid).value
}

fn asked(
    task: &Task<'_>,
    world: &mut World<'_>,
    kind: Kind,
    clause: &Clause,
    goal: Term,
) -> Result<Obligation, Stop> {
    let yes = world.terms.bool(true);
    let outcome = match world.ask(yes, goal) {
        Answer::Unsat(_) => Outcome::Proved,
        Answer::Sat(_) | Answer::Unknown(Reason::Unreadable(_)) => Outcome::Failed(Vec::new()),
        Answer::Unknown(reason) => unknown(reason, &task.limits)?,
    };
    let annotation = Some(of_clause(clause));
    let at = if clause.span.is_none() { Span::NONE } else { clause.span };
    Ok(Obligation { kind, at, annotation, outcome })
}
