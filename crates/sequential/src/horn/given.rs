//! Given loop invariants, checked and used.
//!
//! A loop with an invariant is cut at its head: the invariant holds when the loop is entered, every
//! pass keeps it, and what comes after may use it. Each of these is one ordinary question. An
//! invariant that fails is reported with its place and not used. Loops without one are left to the
//! solver of Horn clauses, which may use what the others say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use selvedge_ir::LocationId;
use selvedge_smt::horn::{Definition, RelationId, Rule, Solution};
use selvedge_smt::translate::{Arithmetic, Wrap};
use selvedge_smt::{Answer, Limits, Logic, Solver};

use super::super::given::Given;
use super::super::program::SequentialProgram;
use super::certificate::Certificate;
use super::guess::{conjunction, strengthen};
use super::problem::Problem;

/// An invariant that is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub at: LocationId,
    pub why: Flaw,
}

/// What is wrong with an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// No loop begins there.
    NoLoop,
    /// It does not hold when the loop is entered.
    NotAtFirst,
    /// A pass through the loop does not keep it.
    NotKept,
    /// It does not follow where the loop is entered from other loops, from what is given or found
    /// for them; or the solver does not know.
    NotShown,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flaw::NoLoop => "it does not stand at the head of a loop",
            Flaw::NotAtFirst => "it does not hold when the loop is entered",
            Flaw::NotKept => "a pass through the loop does not keep it",
            Flaw::NotShown => "it is not shown to hold",
        })
    }
}

/// Arithmetics that are exact without obligations: what fails in them fails.
const EXACT: [Arithmetic; 2] = [Arithmetic::Integers(Wrap::Modular), Arithmetic::Bits];

/// A proof with the invariants, if they are enough or the solver finds the rest; and those that
/// failed.
pub(in super::super) fn prove_with(
    program: &SequentialProgram,
    given: &BTreeMap<LocationId, Given>,
    limits: &Limits,
    time: Duration,
) -> (Option<Certificate>, Vec<Rejected>) {
    let started = limits.clock.now();
    let mut rejected = Vec::new();
    for (index, arithmetic) in EXACT.into_iter().enumerate() {
        let end = started + time.mul_f64(0.5 * (index + 1) as f64);
        let deadline = limits.deadline.map_or(end, |deadline| deadline.min(end));
        let limits = Limits { deadline: Some(deadline), ..limits.clone() };
        let Some(mut problem) = Problem::new(program, arithmetic, given, &limits) else { continue };
        rejected = no_loops(&problem, given);
        let (known, open) = problem.given(&limits, &mut rejected);
        if problem.check(known.clone(), &limits) {
            return (problem.certificate(), rejected);
        }
        // Without any of them, there is nothing that this adds to a search without them.
        if rejected.len() == given.len() {
            if rejected.iter().all(|r| r.why != Flaw::NotShown) {
                break;
            }
            continue;
        }
        if problem.solve_with(&known, &limits) {
            return (problem.certificate(), rejected);
        }
        rejected.extend(open.into_iter().map(|at| Rejected { at, why: Flaw::NotShown }));
    }
    (None, rejected)
}

fn no_loops(problem: &Problem, given: &BTreeMap<LocationId, Given>) -> Vec<Rejected> {
    let is_head = |at: LocationId| problem.heads.iter().any(|head| head.at == at);
    let wrong = given.keys().copied().filter(|&at| !is_head(at));
    wrong.map(|at| Rejected { at, why: Flaw::NoLoop }).collect()
}

impl Problem {
    /// The given invariants that hold; nothing is said of other loops. Then the places of those that
    /// hold only if something is found for the loops before them.
    fn given(
        &mut self,
        limits: &Limits,
        rejected: &mut Vec<Rejected>,
    ) -> (Solution, BTreeSet<LocationId>) {
        let mut kept: BTreeMap<RelationId, Definition> = self.given.clone();
        let mut open = BTreeSet::new();
        while let Some((relation, why)) = self.flaw(&kept, limits, &mut open) {
            kept.remove(&relation);
            let at = self.heads[relation.index()].at;
            rejected.push(Rejected { at, why });
        }
        open.retain(|relation| kept.contains_key(relation));
        let nothing = self.terms.bool(true);
        let definitions = self.heads.iter().map(|head| {
            let terms = &mut self.terms;
            kept.remove(&head.signature.relation).unwrap_or_else(|| Definition {
                parameters: head.signature.sorts.iter().map(|&s| terms.fresh("any", s)).collect(),
                formula: nothing,
            })
        });
        let known = Solution { definitions: definitions.collect() };
        (known, open.into_iter().map(|relation| self.heads[relation.index()].at).collect())
    }

    /// An invariant that fails. Where a loop is entered from one about which nothing is known, that
    /// is left open.
    fn flaw(
        &mut self,
        kept: &BTreeMap<RelationId, Definition>,
        limits: &Limits,
        open: &mut BTreeSet<RelationId>,
    ) -> Option<(RelationId, Flaw)> {
        let rules: Vec<Rule> = self.horn.rules().map(|(_, rule)| rule.clone()).collect();
        for rule in rules {
            let Some(head) = &rule.head else { continue };
            let Some(invariant) = kept.get(&head.relation) else { continue };
            let from = rule.body.first().map(|atom| atom.relation);
            if from.is_some_and(|from| !kept.contains_key(&from)) {
                open.insert(head.relation);
                continue;
            }
            let mut solver = Solver::new(Logic::All, limits.clone());
            solver.assert(&self.terms, rule.constraint);
            for atom in &rule.body {
                let known = kept[&atom.relation].apply(&mut self.terms, &atom.args);
                solver.assert(&self.terms, known);
            }
            let holds = invariant.apply(&mut self.terms, &head.args);
            let fails = self.terms.not(holds);
            solver.assert(&self.terms, fails);
            let why = match solver.check(&self.terms, &[]) {
                Answer::Unsat(_) => continue,
                Answer::Unknown(_) => Flaw::NotShown,
                Answer::Sat(_) if from.is_none() => Flaw::NotAtFirst,
                Answer::Sat(_) if from == Some(head.relation) => Flaw::NotKept,
                Answer::Sat(_) => Flaw::NotShown,
            };
            return Some((head.relation, why));
        }
        None
    }

    /// Whether the solver finds what is missing: with the invariants as facts at their loops, and as
    /// goals wherever these are reached.
    fn solve_with(&mut self, known: &Solution, limits: &Limits) -> bool {
        let Problem { horn, terms, .. } = self;
        let mut demanding = strengthen(horn, known, terms);
        let rules: Vec<Rule> = demanding.rules().map(|(_, rule)| rule.clone()).collect();
        for rule in rules {
            let Some(head) = &rule.head else { continue };
            let holds = known.get(head.relation).apply(terms, &head.args);
            let fails = terms.not(holds);
            let constraint = terms.and(&[rule.constraint, fails]);
            if constraint != terms.bool(false) {
                let name = format!("{} against the invariant", rule.name);
                demanding.rule(terms, Rule { name, constraint, head: None, ..rule });
            }
        }
        let Some(rest) = demanding.solution(terms, limits) else { return false };
        let solution = conjunction(&rest, known, terms);
        self.check(solution, limits)
    }
}
