//! Candidates from a solution of Horn clauses: a second source of predicates.
//!
//! [`selvedge_clauses`] looks for invariants that relate two threads. The atoms of what it finds, said of the
//! shared state, of one thread or of one against another, are candidates like others: a run of the
//! abstraction is refuted by as few of them as are enough. What the solution proves is not relied on.

use std::time::Duration;

use rustc_hash::FxHashMap;
use selvedge_smt::{Answer, Limits, Logic, Solver, Term};

use super::candidates::complexity;
use super::{bounds, literals, renamed};
use crate::abstraction::Abstraction;
use crate::predicate::Predicate;
use selvedge_clauses::{self, Formulas};

/// The longest time for a solution, and the share of what is left.
const LONGEST: Duration = Duration::from_secs(4);
const SHARE: u32 = 8;
/// More than these are not tried.
const MOST: usize = 100;

/// The atoms, once they have been looked for.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    found: Option<Vec<Predicate>>,
    /// Whether what the program compares was not enough before.
    needed: bool,
}

impl Atoms {
    /// None will be looked for.
    pub fn none() -> Atoms {
        Atoms { found: Some(Vec::new()), needed: false }
    }

    /// What the program compares is not enough; whether that has been so before.
    pub fn again(&mut self) -> bool {
        std::mem::replace(&mut self.needed, true)
    }

    /// Which of these predicates come from here, for people.
    pub fn taken(&self, new: &[Predicate]) -> Option<String> {
        let own = self.found.iter().flatten().filter(|atom| new.contains(atom));
        let texts: Vec<&str> = own.map(|atom| atom.text.as_str()).collect();
        let taken = format!("taken from the horn solution: {}", texts.join(", "));
        (!texts.is_empty()).then_some(taken)
    }
}

/// The atoms of a solution, which is looked for at the first time.
pub fn atoms(abstraction: &mut Abstraction, limits: &Limits) -> Vec<Predicate> {
    if let Some(found) = &abstraction.atoms.found {
        return found.clone();
    }
    let left = limits.deadline.map(|end| end.saturating_duration_since(std::time::Instant::now()));
    let time = left.map_or(LONGEST, |left| (left / SHARE).min(LONGEST));
    let solution = horn::formulas(&mut abstraction.system, time, limits);
    let (found, note) = match solution {
        None => (Vec::new(), "no horn solution to take atoms from".to_owned()),
        Some(solution) => {
            let found = predicates(abstraction, &solution);
            let part = if solution.complete { "a" } else { "part of a" };
            let (count, level) = (found.len(), &solution.level);
            (found, format!("{count} atoms of {part} horn solution at {level} are candidates"))
        }
    };
    abstraction.notes.push(note);
    abstraction.atoms.found = Some(found.clone());
    found
}

/// The simple ones first, and of these what is said at many places.
fn predicates(abstraction: &mut Abstraction, solution: &Formulas) -> Vec<Predicate> {
    let mut found: Vec<(Predicate, usize)> = Vec::new();
    let mut places: FxHashMap<Vec<Term>, usize> = FxHashMap::default();
    for (point, formula) in &solution.at {
        let parts = literals(abstraction, *formula);
        for literal in bounds::joined(&mut abstraction.system.terms, parts) {
            for predicate in renamed(abstraction, point, literal) {
                let Some(predicate) = plain(abstraction, predicate) else { continue };
                let key = predicate.atoms.iter().map(|atom| atom.term).collect();
                let place = *places.entry(key).or_insert(found.len());
                match found.get_mut(place) {
                    Some((_, count)) => *count += 1,
                    None => found.push((predicate, 1)),
                }
            }
        }
    }
    found.retain(|(predicate, _)| says_something(abstraction, predicate));
    let system = &abstraction.system;
    found.sort_by_key(|(predicate, count)| (complexity(system, predicate), usize::MAX - count));
    found.truncate(MOST);
    found.into_iter().map(|(predicate, _)| predicate).collect()
}

/// Of the shared state or one thread, a predicate and its negation are the same question.
fn plain(abstraction: &mut Abstraction, predicate: Predicate) -> Option<Predicate> {
    let predicate = match predicate.atoms.as_slice() {
        [atom] if predicate.passive.is_none() => {
            let negated = abstraction.system.terms.not(atom.term);
            if negated < atom.term {
                Predicate::new(&abstraction.system, &abstraction.vocabulary, negated)?
            } else {
                predicate
            }
        }
        _ => predicate,
    };
    Some(abstraction.vocabulary.scoped(predicate))
}

/// Whether the ranges of the variables leave it open.
fn says_something(abstraction: &mut Abstraction, predicate: &Predicate) -> bool {
    let ranges: Vec<Term> = abstraction
        .system
        .templates
        .iter()
        .map(|template| template.ranges)
        .chain([abstraction.system.ranges])
        .collect();
    let atoms: Vec<Term> = predicate.atoms.iter().map(|atom| atom.term).collect();
    let terms = &mut abstraction.system.terms;
    let said = terms.and(&atoms);
    let not_said = terms.not(said);
    let mut solver = Solver::new(Logic::All, Limits::time(Duration::from_secs(1)));
    ranges.iter().for_each(|&range| solver.assert(terms, range));
    let open = |solver: &mut Solver, formula: Term| {
        !matches!(solver.check(terms, &[formula]), Answer::Unsat(_))
    };
    open(&mut solver, said) && open(&mut solver, not_said)
}
