//! One attempt: the clauses at a level, and a guess or a search for a solution of them.

use std::time::Duration;

use selvedge_certify::{Certificate, Rejected};
use selvedge_clauses::apart::{apart, overall};
use selvedge_clauses::evidence::Invariant;
use selvedge_clauses::frame::Frame;
use selvedge_clauses::linear::Facts;
use selvedge_clauses::reach::NoClauses;
use selvedge_clauses::rules::Clauses;
use selvedge_clauses::{guess, languages};
use selvedge_exec::Trace;
use selvedge_smt::horn::{Derivation, HornAnswer, RuleId, Solution, Strategy};
use selvedge_smt::{Limits, Reason};
use selvedge_system::Bad;
use selvedge_verdict::{Proof, Run};

use crate::NAME;
use crate::attempts::Attempt;
use crate::derive::derive;
use crate::problem::{Problem, Task};
use crate::refute::{Confirmed, Refutation};

/// For the search for an execution: questions at level 1, and time for each of them.
const TRIES: usize = 200;
const CONFIRM: Duration = Duration::from_secs(3);

/// An attempt that has been made.
pub struct Trial {
    pub result: TrialResult,
    /// The size of the clauses.
    pub relations: usize,
    pub rules: usize,
}

/// What an attempt came to.
pub enum TrialResult {
    /// A proof, and how long the checker took for it.
    Proof(Box<Proof>, Duration),
    /// A solution whose certificate the checker does not accept.
    Rejected(String),
    /// The clauses are refuted: the level is too coarse, or the bad step can happen.
    Refuted(Bad),
    /// The bad step can happen. The trace, if the program as given goes wrong there.
    Happens(Bad, Result<Box<Trace>, String>),
    Open(Reason),
    TooLarge,
    /// What has been guessed holds but does not exclude all bad steps, as this one.
    Weak(Option<Bad>),
}

/// Makes an attempt.
pub fn attempt(task: &Task<'_>, run: &Run<'_>, problem: &mut Problem, attempt: &Attempt) -> Trial {
    let facts = problem.facts.up_to(&problem.view, attempt.level.facts);
    let frame = Frame::new(&problem.view, &attempt.level, &facts);
    let clauses = match Clauses::of(&mut problem.terms, &frame, &task.limits(None)) {
        Ok(clauses) => clauses,
        Err(NoClauses::TooMany) => return Trial::without_clauses(TrialResult::TooLarge),
        Err(NoClauses::Cut(reason)) => return Trial::without_clauses(TrialResult::Open(reason)),
    };
    let limits = task.limits(attempt.time.map(|time| problem.load.stretch(time)));
    let (relations, rules) = (clauses.keys.len(), clauses.origins.len());
    let mut solving = Solving { task, run, problem, attempt, facts: &facts };
    let result = if attempt.guess {
        solving.guess(&clauses, &limits)
    } else if clauses.asks() {
        solving.search(&clauses, &limits)
    } else {
        let solution = clauses.all_true(&mut solving.problem.terms);
        solving.certify(&clauses, &solution)
    };
    Trial { result, relations, rules }
}

impl Trial {
    fn without_clauses(result: TrialResult) -> Trial {
        Trial { result, relations: 0, rules: 0 }
    }
}

/// An attempt under way.
struct Solving<'a> {
    task: &'a Task<'a>,
    run: &'a Run<'a>,
    problem: &'a mut Problem,
    attempt: &'a Attempt,
    /// Those of the level.
    facts: &'a Facts,
}

impl Solving<'_> {
    /// The strongest solution that features can say, with pairs of them if it is not enough without.
    fn guess(&mut self, clauses: &Clauses, limits: &Limits) -> TrialResult {
        let limits = &overall(limits);
        let mut open = Vec::new();
        let mut shown = None;
        for pairs in [false, true] {
            let (solution, queries, narrowed) = match self.strongest(clauses, pairs, limits) {
                Ok(guessed) => guessed,
                Err(Reason::Interrupted) => return TrialResult::Open(Reason::Time),
                Err(reason) => return TrialResult::Open(reason),
            };
            if queries.is_empty() {
                let result = self.certify(clauses, &solution);
                // The checker asks for all errors of all threads.
                if pairs || !matches!(result, TrialResult::Rejected(_)) {
                    return result;
                }
            } else {
                let narrowed = narrowed.as_ref().unwrap_or(clauses);
                // That an operation wraps around is less than a failure.
                let view = &self.problem.view;
                let bads = queries.iter().filter_map(|&query| narrowed.bad(view, query));
                shown = bads.min_by_key(|bad| matches!(bad, Bad::Wrap { .. }));
                open = self.problem.operations(narrowed, &queries);
            }
            self.problem.learn(&self.attempt.level, solution);
        }
        self.problem.wrapping = open;
        TrialResult::Weak(shown)
    }

    /// The strongest solution, the queries that it does not exclude, and the clauses that these
    /// belong to where they are not those given.
    fn strongest(
        &mut self,
        clauses: &Clauses,
        pairs: bool,
        limits: &Limits,
    ) -> Result<(Solution, Vec<RuleId>, Option<Clauses>), Reason> {
        let known = self.problem.known(&self.attempt.level);
        let Problem { terms, view, load, .. } = &mut *self.problem;
        let narrowed = known.as_ref().map(|known| clauses.within(terms, known, limits));
        let now = narrowed.as_ref().unwrap_or(clauses);
        let frame = Frame::new(view, &self.attempt.level, self.facts);
        let languages = languages(terms, &frame, now, pairs);
        let work = || guess::strongest(terms, &now.horn, &languages, known.as_ref(), limits);
        let (solution, queries) = apart(load, work).unwrap_or_else(|| Err(failed()))?;
        Ok((solution, queries, narrowed))
    }

    /// Spacer's search for a solution within what has been guessed.
    fn search(&mut self, clauses: &Clauses, limits: &Limits) -> TrialResult {
        let strategy = Strategy { global: self.attempt.global, seed: self.attempt.seed };
        let known = self.problem.known(&self.attempt.level);
        let Problem { terms, load, .. } = &mut *self.problem;
        let narrowed = known.as_ref().map(|known| clauses.within(terms, known, limits));
        let clauses = narrowed.as_ref().unwrap_or(clauses);
        let answer = apart(load, || clauses.horn.solve_by(terms, limits, strategy));
        match answer.unwrap_or_else(|| HornAnswer::Unknown(failed())) {
            HornAnswer::Solution(mut solution) => {
                if let Some(known) = &known {
                    guess::strengthen(terms, &mut solution, known);
                }
                self.certify(clauses, &solution)
            }
            HornAnswer::Unknown(Reason::Unreadable(what)) => {
                let limits = overall(&self.task.limits(Some(CONFIRM)));
                match apart(load, || derive(terms, &clauses.horn, &limits)).flatten() {
                    Some(derivation) => self.refuted(clauses, &derivation),
                    None => TrialResult::Open(Reason::Unreadable(what)),
                }
            }
            HornAnswer::Unknown(reason) => TrialResult::Open(reason),
            HornAnswer::Refuted(derivation) => self.refuted(clauses, &derivation),
        }
    }

    /// A proof counts if the checker accepts it. A check that is cut short says nothing.
    fn certify(&mut self, clauses: &Clauses, solution: &Solution) -> TrialResult {
        let certificate = self.certificate(clauses, solution);
        let begun = self.run.elapsed();
        let (program, options) = (self.task.promoted.program, self.task.options);
        let check = |limits: &Limits| Proof::checked(program, options, certificate, limits);
        match self.task.limits(None).together(check) {
            Ok(Ok(proof)) => TrialResult::Proof(Box::new(proof), self.run.elapsed() - begun),
            Ok(Err(Rejected::Undecided { reason: Reason::Time | Reason::Interrupted, .. })) => {
                TrialResult::Open(Reason::Time)
            }
            Ok(Err(rejected)) => TrialResult::Rejected(rejected.on_a_line()),
            Err(reason) => TrialResult::Open(reason),
        }
    }

    fn certificate(&mut self, clauses: &Clauses, solution: &Solution) -> Certificate {
        let mut certificate = self.task.promoted.certificate(NAME);
        let Problem { terms, system, view, .. } = &mut *self.problem;
        let frame = &Frame::new(view, &self.attempt.level, self.facts);
        Invariant { system, view, clauses, solution, frame }.write(terms, &mut certificate);
        certificate
    }

    /// A refutation counts if it is an execution.
    fn refuted(&mut self, clauses: &Clauses, derivation: &Derivation) -> TrialResult {
        let Some(bad) = clauses.query(&self.problem.view, derivation) else {
            return TrialResult::Open(Reason::Unreadable("a refutation without a bad step".into()));
        };
        let last: Vec<RuleId> = derivation.steps.last().map(|step| step.rule).into_iter().collect();
        self.problem.wrapping = self.problem.operations(clauses, &last);
        let Problem { terms, system, view, .. } = &mut *self.problem;
        let refutation = Refutation { task: self.task, view, clauses, derivation };
        let limits = self.task.limits(Some(CONFIRM));
        // At low levels a refutation is rarely an execution.
        let tries = TRIES * self.attempt.level.others.pow(2);
        std::mem::swap(&mut system.terms, terms);
        let confirmed = refutation.confirm(self.run, tries, system, &limits);
        std::mem::swap(&mut system.terms, terms);
        match confirmed {
            Confirmed::Open => TrialResult::Refuted(bad),
            Confirmed::Happens(trace) => TrialResult::Happens(bad, trace),
        }
    }
}

fn failed() -> Reason {
    Reason::Incomplete("its thread failed".into())
}
