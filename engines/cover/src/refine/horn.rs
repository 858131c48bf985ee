//! Candidates from a solution of Horn clauses: a second source of predicates.
//!
//! [`selvedge_clauses`] looks for invariants that relate two threads. The atoms of what it finds,
//! said of the shared state, of one thread or of one against another, are candidates like others: a
//! run of the abstraction is refuted by as few of them as are enough. What the solution proves is not
//! relied on.

use std::time::Duration;

use rustc_hash::FxHashMap;
use selvedge_clauses::Formulas;
use selvedge_smt::{Answer, Limits, Logic, Solver, Term};

use super::bounds;
use super::candidates::complexity;
use super::literals::{literals, renamed};
use crate::abstraction::Abstraction;
use crate::predicate::Predicate;
use crate::watch::QUESTION;

/// The longest time for a solution, by the clock of the run, and the share of what is left.
const LONGEST: Duration = Duration::from_secs(4);
const SHARE: u32 = 8;
/// The time for the question whether a candidate says something.
const TRIVIAL: Duration = Duration::from_secs(1);
/// More than these are not tried.
const MOST: usize = 100;

/// The atoms, once they have been looked for.
#[derive(Clone, Debug)]
pub struct Atoms {
    found: Option<Vec<Predicate>>,
    /// Whether what the program compares was not enough before.
    needed: bool,
}

impl Atoms {
    /// Atoms that will be looked for when they are asked for, unless they are not wanted.
    pub fn new(wanted: bool) -> Atoms {
        Atoms { found: (!wanted).then(Vec::new), needed: false }
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

    /// The atoms of a solution, which is looked for at the first time.
    pub fn candidates(&mut self, abstraction: &mut Abstraction, limits: &Limits) -> Vec<Predicate> {
        self.found.get_or_insert_with(|| look(abstraction, limits)).clone()
    }
}

fn look(abstraction: &mut Abstraction, limits: &Limits) -> Vec<Predicate> {
    let left = limits.deadline.map(|end| limits.clock.left(end));
    let time = left.map_or(LONGEST, |left| (left / SHARE).min(LONGEST));
    let solution = selvedge_clauses::formulas(&mut abstraction.system, time, limits);
    let Some(solution) = solution else {
        abstraction.notes.push("no horn solution to take atoms from".to_owned());
        return Vec::new();
    };
    let found = predicates(abstraction, &solution, limits);
    let part = if solution.complete { "a" } else { "part of a" };
    let (count, level) = (found.len(), &solution.level);
    let note = format!("{count} atoms of {part} horn solution at {level} are candidates");
    abstraction.notes.push(note);
    found
}

/// The simple ones first, and of these what is said at many places.
fn predicates(
    abstraction: &mut Abstraction,
    solution: &Formulas,
    limits: &Limits,
) -> Vec<Predicate> {
    let mut found: Vec<(Predicate, usize)> = Vec::new();
    let mut places: FxHashMap<Vec<Term>, usize> = FxHashMap::default();
    for (point, formula) in &solution.at {
        let parts = literals(&mut abstraction.system.terms, *formula);
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
    found.retain(|(predicate, _)| says_something(abstraction, predicate, limits));
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
    Some(predicate.scoped(&abstraction.vocabulary))
}

/// Whether the ranges of the variables leave it open.
fn says_something(abstraction: &mut Abstraction, predicate: &Predicate, limits: &Limits) -> bool {
    abstraction.watch.spend(QUESTION);
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
    let mut solver = Solver::new(Logic::All, Limits { time: Some(TRIVIAL), ..limits.clone() });
    ranges.iter().for_each(|&range| solver.assert(terms, range));
    let open = |solver: &mut Solver, formula: Term| {
        !matches!(solver.check(terms, &[formula]), Answer::Unsat(_))
    };
    open(&mut solver, said) && open(&mut solver, not_said)
}
