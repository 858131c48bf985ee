//! One action of some threads as a question: which truth values can the predicates have before and
//! after it, for the threads that are looked at? (Equations 7 and 12.)
//!
//! The solver enumerates them, part by part ([`parts`](super::parts)).

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_smt::{Answer, Logic, Solver, Term, Terms};
use selvedge_verdict::Stop;

use super::base::Abstraction;
use super::parts::{Given, Known, PartId, Parts, Solutions};
use crate::watch::QUESTION;

/// The variables that say which predicates hold.
pub struct Question {
    facts: Vec<Term>,
    /// Made when it is needed: often all parts are known.
    solver: Option<Solver>,
    parts: Parts,
    numbers: FxHashMap<Term, PartId>,
    pub shared: [Vec<Term>; 2],
    /// For each thread looked at, acting ones first: its predicates before and after.
    pub threads: Vec<[Vec<Term>; 2]>,
}

impl Question {
    pub(super) fn new(
        known: &mut Known,
        facts: Vec<Term>,
        parts: Parts,
        shared: [Vec<Term>; 2],
        threads: Vec<[Vec<Term>; 2]>,
    ) -> Question {
        let numbers = parts.numbered(known);
        Question { facts, solver: None, parts, numbers, shared, threads }
    }

    /// All values that the free variables can have together, with the given values of the fixed ones.
    pub fn solutions(
        &mut self,
        abstraction: &mut Abstraction,
        fixed: &[(Term, bool)],
        free: &[Term],
    ) -> Result<BTreeSet<Vec<bool>>, Stop> {
        // A predicate that an action does not touch has one variable for before and after.
        let known: FxHashMap<Term, bool> = fixed.iter().copied().collect();
        let open: Vec<Term> = free.iter().copied().filter(|bit| !known.contains_key(bit)).collect();
        // An unsatisfiable part would make every other one look unsatisfiable.
        if !self.is_possible(abstraction)? {
            return Ok(BTreeSet::new());
        }
        let mut found = vec![known];
        for (root, given) in self.parts.split(fixed, &open) {
            let bits = given.open.clone();
            let values = self.part(abstraction, root, given)?;
            let longer = found.iter().flat_map(|one| {
                values.iter().map(|more| {
                    let mut one = one.clone();
                    one.extend(bits.iter().copied().zip(more.iter().copied()));
                    one
                })
            });
            found = longer.collect();
            abstraction.watch.spend(found.len() as u64);
            abstraction.watch.check()?;
        }
        let row = |one: FxHashMap<Term, bool>| free.iter().map(|bit| one[bit]).collect();
        Ok(found.into_iter().map(row).collect())
    }

    /// The given values that belong to a part of these variables.
    pub fn about(&self, bits: &[Term], mut fixed: Vec<(Term, bool)>) -> Vec<(Term, bool)> {
        let parts: BTreeSet<Term> = bits.iter().map(|bit| self.parts.of(*bit)).collect();
        fixed.retain(|(bit, _)| parts.contains(&self.parts.of(*bit)));
        fixed
    }

    /// Whether the question is satisfiable while no truth values are given.
    fn is_possible(&mut self, abstraction: &mut Abstraction) -> Result<bool, Stop> {
        let absurd = abstraction.system.terms.bool(false);
        if self.facts.contains(&absurd) {
            return Ok(false);
        }
        if self.numbers.values().all(|number| abstraction.known.possible.contains(number)) {
            return Ok(true);
        }
        let possible = !self.enumerate(abstraction, &Given::default())?.is_empty();
        if possible {
            abstraction.known.possible.extend(self.numbers.values().copied());
        }
        Ok(possible)
    }

    /// The solutions of one part.
    fn part(
        &mut self,
        abstraction: &mut Abstraction,
        root: Term,
        given: Given,
    ) -> Result<Solutions, Stop> {
        let key = (self.numbers[&root], given);
        if let Some(known) = abstraction.known.solutions.get(&key) {
            return Ok(known.clone());
        }
        let found = Rc::new(self.enumerate(abstraction, &key.1)?);
        abstraction.known.solutions.insert(key, found.clone());
        Ok(found)
    }

    fn solver(&mut self, abstraction: &Abstraction) -> &mut Solver {
        self.solver.get_or_insert_with(|| {
            let mut solver = Solver::new(Logic::All, abstraction.watch.limits().clone());
            for &fact in &self.facts {
                solver.assert(&abstraction.system.terms, fact);
            }
            solver
        })
    }

    fn enumerate(
        &mut self,
        abstraction: &mut Abstraction,
        given: &Given,
    ) -> Result<Vec<Vec<bool>>, Stop> {
        self.solver(abstraction).push();
        let found = self.enumerate_all(abstraction, given);
        self.solver(abstraction).pop();
        found
    }

    fn enumerate_all(
        &mut self,
        abstraction: &mut Abstraction,
        given: &Given,
    ) -> Result<Vec<Vec<bool>>, Stop> {
        let literal = |terms: &mut Terms, bit, value| if value { bit } else { terms.not(bit) };
        let terms = &mut abstraction.system.terms;
        let fixed = given.fixed.iter();
        let assumed: Vec<Term> = fixed.map(|&(bit, value)| literal(terms, bit, value)).collect();
        let mut found = Vec::new();
        loop {
            abstraction.questions += 1;
            abstraction.watch.spend(QUESTION);
            let solver = self.solver(abstraction);
            let terms = &mut abstraction.system.terms;
            match solver.check(terms, &assumed) {
                Answer::Unsat(_) => return Ok(found),
                Answer::Unknown(reason) => return Err(abstraction.watch.stop(&reason)),
                Answer::Sat(model) => {
                    let values: Vec<bool> =
                        given.open.iter().map(|bit| model.holds(terms, *bit)).collect();
                    let differs = given.open.iter().zip(&values);
                    let differs: Vec<Term> =
                        differs.map(|(&bit, &value)| literal(terms, bit, !value)).collect();
                    found.push(values);
                    if differs.is_empty() {
                        return Ok(found);
                    }
                    let clause = terms.or(&differs);
                    solver.assert(terms, clause);
                }
            }
        }
    }
}
