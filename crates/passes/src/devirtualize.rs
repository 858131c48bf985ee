//! Devirtualization: calls and spawns through a pointer become branches over the procedures that
//! the pointer can point to, with direct calls that inlining can see.
//!
//! `L --call *p(args)--> T` with candidates f and g becomes
//!
//! ```text
//! L: assume p == &f           -> M1 --call f(args)--> T
//!    assume p == &g           -> M2 --call g(args)--> T
//!    assume p != &f && p != &g -> M3 --call *p(args)--> T
//! ```
//!
//! The conditions exclude each other, so no choice is added. The locations between are `Atomic`, so
//! the condition and the call are still one action. The last branch keeps the fault of a bad
//! pointer, and every call that the candidates do not fit (too few arguments, a result of
//! another type); it is left out where the pointer is the address of a procedure itself. Since it
//! keeps everything else, the candidates need not be complete.

use selvedge_ir::{
    Action, BinaryOp, Callee, Const, Edge, EdgeId, Expr, Grain, LocalId, ProcId, Procedure,
    Program, check,
};

use crate::callgraph::{address_taken, pointer};
use crate::fields;
use crate::limits::{Limits, Unprepared};
use crate::pointsto::PointsTo;

/// Beyond this many candidates a call stays as it is.
const MOST: usize = 64;

/// With `fields`, candidates are looked for by fields ([`crate::fields`]).
pub fn devirtualize(
    program: &mut Program,
    fields: bool,
    limits: &Limits,
) -> Result<(), Unprepared> {
    let sites: Vec<(ProcId, EdgeId)> = program
        .procedures
        .iter()
        .flat_map(|(id, procedure)| {
            procedure
                .edges()
                .filter(|(_, edge)| pointer(&edge.action).is_some())
                .map(move |(at, _)| (id, at))
        })
        .collect();
    if sites.is_empty() {
        return Ok(());
    }
    let candidates: Vec<Vec<ProcId>> = match fields {
        true => fields::callees(program, &sites, limits)?,
        false => by_unification(program, &sites, limits)?,
    };
    for ((id, at), candidates) in sites.into_iter().zip(candidates) {
        if candidates.len() <= MOST {
            limits.spend(candidates.len())?;
            branch(program, id, at, &candidates);
        }
    }
    Ok(())
}

fn by_unification(
    program: &Program,
    sites: &[(ProcId, EdgeId)],
    limits: &Limits,
) -> Result<Vec<Vec<ProcId>>, Unprepared> {
    let found = PointsTo::of(program, limits)?;
    let taken: Vec<ProcId> = address_taken(program).iter().collect();
    let candidates = |&(id, at): &(ProcId, EdgeId)| match found.callees(id, at) {
        Some(candidates) => candidates.to_vec(),
        None => taken.clone(),
    };
    Ok(sites.iter().map(candidates).collect())
}

/// Replaces one edge by branches.
fn branch(program: &mut Program, id: ProcId, at: EdgeId, candidates: &[ProcId]) {
    let edge = program.procedures[id].edge(at).clone();
    let Some(pointer) = pointer(&edge.action).cloned() else { return };
    let direct: Vec<(ProcId, Action)> = candidates
        .iter()
        .filter_map(|&target| Some((target, direct(program, id, &edge.action, target)?)))
        .collect();
    if let Expr::Const(Const::Proc(certain)) = pointer {
        if let Some((_, action)) = direct.into_iter().find(|(target, _)| *target == certain) {
            let procedure = &mut program.procedures[id];
            procedure.locations[at.from].edges[at.index as usize].action = action;
        }
        return;
    }
    if direct.is_empty() {
        return;
    }
    let procedure = &mut program.procedures[id];
    let mut branches = Vec::new();
    let mut others = Expr::TRUE;
    for (target, action) in direct {
        let address = Expr::Const(Const::Proc(target));
        let equal = Expr::binary(BinaryOp::Eq, pointer.clone(), address);
        others = conjunction(others, equal.clone().not());
        branches.push(guarded(procedure, &edge, equal, action));
    }
    branches.push(guarded(procedure, &edge, others, edge.action.clone()));
    if procedure.locations[at.from].edges.len() == 1 {
        procedure.locations[at.from].edges = branches;
    } else {
        let between = procedure.add_location(Grain::Atomic);
        procedure.locations[between].edges = branches;
        let replaced = &mut procedure.locations[at.from].edges[at.index as usize];
        replaced.action = Action::Skip;
        replaced.target = between;
    }
}

/// The action with the target called directly, if it fits.
fn direct(program: &Program, id: ProcId, action: &Action, target: ProcId) -> Option<Action> {
    let callee = &program.procedures[target];
    let caller = &program.procedures[id];
    match action {
        Action::Call { to, args, .. } => {
            let args = arguments(program, caller, callee, args)?;
            let fits = |to: LocalId| {
                let result = callee.result.map(|result| callee.locals[result].ty);
                result == Some(caller.locals[to].ty)
            };
            let callee = Callee::Direct(target);
            to.is_none_or(fits).then_some(Action::Call { to: *to, callee, args })
        }
        Action::Spawn { to, args, .. } => {
            let args = arguments(program, caller, callee, args)?;
            Some(Action::Spawn { to: *to, entry: Callee::Direct(target), args })
        }
        _ => None,
    }
}

/// The arguments converted to the parameters' types. Those beyond the parameters are dropped, as
/// long as their evaluation cannot go wrong.
fn arguments(
    program: &Program,
    caller: &Procedure,
    callee: &Procedure,
    args: &[Expr],
) -> Option<Vec<Expr>> {
    let total = |arg: &Expr| crate::fold::is_total(arg, program, caller);
    if args.len() < callee.params.len() || !args[callee.params.len()..].iter().all(total) {
        return None;
    }
    let mut converted = Vec::with_capacity(callee.params.len());
    for (&param, arg) in callee.params.iter().zip(args) {
        let (from, to) = (arg.ty(program, caller), callee.locals[param].ty);
        converted.push(match from == to {
            true => arg.clone(),
            false if check::convertible(from, to) => Expr::cast(to, arg.clone()),
            false => return None,
        });
    }
    Some(converted)
}

fn guarded(procedure: &mut Procedure, edge: &Edge, guard: Expr, action: Action) -> Edge {
    let between = procedure.add_location(Grain::Atomic);
    procedure.add_edge(between, action, edge.target, edge.span);
    Edge { action: Action::Assume(guard), target: between, span: edge.span }
}

fn conjunction(a: Expr, b: Expr) -> Expr {
    if a == Expr::TRUE { b } else { Expr::binary(BinaryOp::And, a, b) }
}
