//! What to guess about a loop: facts of the forms that loops of locked code keep.

use std::collections::BTreeSet;

use selvedge_ir::spec::{Contract, Formula};
use selvedge_ir::{Action, BinaryOp, Const, Expr, LocalId, LocationId, Place, Procedure, Type};

use crate::heads::{Guess, Guesses, Loops};

/// Guesses about one head, at most.
const MOST: usize = 240;

/// Conditions under which positions and locks are guessed, at most.
const MOST_CONDITIONS: usize = 12;

/// The first guesses about every head of a procedure.
pub(crate) fn guesses(
    formulas: &[&Formula],
    body: &Procedure,
    contract: Option<&Contract>,
    loops: &Loops,
) -> Guesses {
    let at = loops.heads().map(|head| (head, about(formulas, body, contract, loops, head)));
    Guesses { at: at.collect() }
}

fn about(
    formulas: &[&Formula],
    body: &Procedure,
    contract: Option<&Contract>,
    loops: &Loops,
    head: LocationId,
) -> Vec<Guess> {
    let changed: BTreeSet<LocalId> = loops.assigned(body, head);
    let mut found = Vec::new();
    let mut phases: Vec<Guess> = locks(formulas, body);
    if let Some(contract) = contract {
        phases.extend((0..=contract.actions.len()).map(Guess::Position));
        found.extend((0..contract.requires.len()).map(Guess::Requires));
    }
    found.extend(phases.clone());
    for condition in comparisons(body).into_iter().take(MOST_CONDITIONS) {
        let Guess::Local(condition) = condition else { continue };
        let there = |guess: &Guess| Guess::Where(condition.clone(), Box::new(guess.clone()));
        found.extend(phases.iter().map(there));
    }
    found.extend(memory(body, &changed));
    found.extend(entry_values(body, &changed));
    found.extend(comparisons(body));
    found.extend(numbers(body, &changed));
    found.extend(pointers(body));
    let mut kept: Vec<Guess> = Vec::new();
    for guess in found {
        if !kept.contains(&guess) && kept.len() < MOST {
            kept.push(guess);
        }
    }
    kept
}

/// The locks of the procedure and of formulas are held by the thread, or by nobody.
fn locks(formulas: &[&Formula], body: &Procedure) -> Vec<Guess> {
    let mut places: Vec<Place> = Vec::new();
    for (_, edge) in body.edges() {
        if let Action::Lock { lock } | Action::Unlock { lock } = &edge.action {
            places.push(lock.clone());
        }
    }
    for formula in formulas {
        let direct = formula.reads().filter(|(_, place, _)| place.direct().is_some());
        places.extend(direct.filter(|(_, p, _)| p.ty == Type::Thread).map(|(_, p, _)| p.clone()));
    }
    let holder = |place: Place, who: Expr| Guess::Memory(place, BinaryOp::Eq, who);
    let nobody = || Expr::Const(Const::NoThread);
    let both = places
        .into_iter()
        .flat_map(|place| [holder(place.clone(), Expr::Tid), holder(place, nobody())]);
    both.collect()
}

/// What was loaded or stored is still there; counters stay below what was loaded.
fn memory(body: &Procedure, changed: &BTreeSet<LocalId>) -> Vec<Guess> {
    let mut found = Vec::new();
    for (_, edge) in body.edges() {
        match &edge.action {
            Action::Load { to, from, .. } => {
                let stays = from.addr.locals().iter().all(|local| local != to);
                if stays {
                    found.push(Guess::Memory(from.clone(), BinaryOp::Eq, Expr::Local(*to)));
                }
                for &local in changed.iter().filter(|local| body.locals[**local].ty == from.ty) {
                    if matches!(from.ty, Type::Int(_)) {
                        let value = Expr::Local(local);
                        found.push(Guess::Memory(from.clone(), BinaryOp::Gt, value.clone()));
                        found.push(Guess::Memory(from.clone(), BinaryOp::Ge, value));
                    }
                }
            }
            Action::Store { to, value, .. } => {
                found.push(Guess::Memory(to.clone(), BinaryOp::Eq, value.clone()));
            }
            _ => {}
        }
    }
    found
}

fn entry_values(body: &Procedure, changed: &BTreeSet<LocalId>) -> Vec<Guess> {
    let mut found = Vec::new();
    for &local in changed {
        for (number, &param) in body.params.iter().enumerate() {
            if body.locals[param].ty == body.locals[local].ty {
                found.push(Guess::Entry(local, number));
            }
        }
    }
    found
}

/// The comparisons of the program, and what is left where they fail.
fn comparisons(body: &Procedure) -> Vec<Guess> {
    let mut found = Vec::new();
    for (_, edge) in body.edges() {
        let (Action::Assume(condition)
        | Action::Wait(condition)
        | Action::Assert { cond: condition, .. }) = &edge.action
        else {
            continue;
        };
        condition.walk(&mut |part| {
            let is_test = match part {
                Expr::Binary(op, ..) => op.is_test(),
                Expr::Cast(Type::Bool, _) => true,
                _ => false,
            };
            if is_test {
                for guess in [part.clone(), part.clone().not()].map(Guess::Local) {
                    if !found.contains(&guess) {
                        found.push(guess);
                    }
                }
            }
        });
    }
    found
}

/// Counters compare with the constants that they start from, and with other numbers.
fn numbers(body: &Procedure, changed: &BTreeSet<LocalId>) -> Vec<Guess> {
    let mut found = Vec::new();
    let mut compare = |op, a: Expr, b: Expr| found.push(Guess::Local(Expr::binary(op, a, b)));
    for &local in changed {
        let Type::Int(int) = body.locals[local].ty else { continue };
        let own = Expr::Local(local);
        for (_, edge) in body.edges() {
            if let Action::Assign { to, value: value @ Expr::Const(_) } = &edge.action
                && *to == local
            {
                for op in [BinaryOp::Eq, BinaryOp::Ge, BinaryOp::Le] {
                    compare(op, own.clone(), value.clone());
                }
            }
        }
        for bound in [-1, 0] {
            if bound >= int.min() {
                compare(BinaryOp::Ge, own.clone(), Expr::int(bound, int));
            }
        }
        let others = body.locals.iter().filter(|(id, other)| {
            *id != local && other.ty == Type::Int(int) && (other.named || body.params.contains(id))
        });
        for (other, _) in others {
            for op in [BinaryOp::Le, BinaryOp::Lt, BinaryOp::Ge, BinaryOp::Eq] {
                compare(op, own.clone(), Expr::Local(other));
            }
        }
    }
    found
}

/// Pointers lead to objects, or to the thread's own.
fn pointers(body: &Procedure) -> Vec<Guess> {
    let pointers = body.locals.iter().filter(|(_, local)| local.ty == Type::Ptr);
    let about = pointers.flat_map(|(id, _)| [Guess::Object(id), Guess::Own(id), Guess::Public(id)]);
    about.collect()
}
