//! Predicates from interpolants between the moves of a run that cannot happen.

use selvedge_smt::Limits;
use selvedge_system::concretize::Run;
use selvedge_system::interpolate;

use super::bounds;
use super::literals::{literals, renamed};
use crate::abstraction::Abstraction;
use crate::predicate::Predicate;

/// The parts of interpolants between the moves.
pub fn interpolated(abstraction: &mut Abstraction, run: &Run, limits: &Limits) -> Vec<Predicate> {
    let mut formulas = vec![run.beginning];
    formulas.extend(&run.parts);
    let found = interpolate::sequence(&mut abstraction.system.terms, &formulas, limits);
    let mut all: Vec<Predicate> = Vec::new();
    for (interpolant, point) in found.unwrap_or_default().into_iter().zip(&run.points) {
        let literals = literals(&mut abstraction.system.terms, interpolant);
        for literal in bounds::joined(&mut abstraction.system.terms, literals) {
            all.extend(renamed(abstraction, point, literal));
        }
    }
    let short = all.iter().map(|predicate| predicate.clone().scoped(&abstraction.vocabulary));
    let short = fresh(abstraction, short);
    if short.is_empty() { fresh(abstraction, all.into_iter()) } else { short }
}

/// Those that are not there yet, each once.
fn fresh(abstraction: &Abstraction, all: impl Iterator<Item = Predicate>) -> Vec<Predicate> {
    let mut new: Vec<Predicate> = Vec::new();
    for predicate in all {
        let known = |other: &Predicate| other.includes(&predicate);
        if !abstraction.predicates.iter().any(known) && !new.iter().any(known) {
            new.push(predicate);
        }
    }
    new
}
