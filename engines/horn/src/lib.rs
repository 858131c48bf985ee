//! `horn`: proofs for any number of threads, by Horn clauses that a solver finds an answer to.
//!
//! Thread-modular reasoning at a level k asks for a relation over the shared state and the local
//! states of k threads that every step of these threads and of any other thread preserves, where the
//! other thread is known to be related to the k threads in the same way. Such relations are solutions
//! of Horn clauses ([`clauses`]); Spacer looks for them. With k = 1 this is classical thread-modular
//! reasoning; k = 2 relates pairs of threads, as a ticket lock needs; reference counts need linear
//! equalities besides ([`linear`]).
//!
//! Simple solutions are not left to chance: the strongest one that comparisons of the program can say
//! is computed ([`guess`], [`features`]), and Spacer has to find only what is missing.
//!
//! Levels grow on their own ([`attempts`]). A solution becomes a certificate, and SAFE is said only
//! if `certify` accepts it, which shares nothing with this engine but the program. A refutation at a
//! level need not be an execution of the program: its steps are concretised and replayed, or a higher
//! level is tried.

mod derive;
mod modular;
mod refute;
#[cfg(test)]
mod tests;

use modular::{Modular, Operation};
use refute::{Confirmed, Refutation};

use std::fmt;
use std::time::{Duration, Instant};

use selvedge_certify::{Accepted, Certificate, Rejected, check};
use selvedge_exec::{Stop, Trace};
use selvedge_ir::{Program, Property};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::horn::{Derivation, HornAnswer, RuleId, Solution, Strategy};
use selvedge_smt::translate::{Arithmetic, Wrap};
use selvedge_smt::{Dump, Limits, Reason, Terms};

use selvedge_clauses::attempts::{Attempt, Attempts};
use selvedge_clauses::evidence::Proof;
use selvedge_clauses::frame::{Frame, Level};
use selvedge_clauses::guess;
use selvedge_clauses::languages::languages;
use selvedge_clauses::linear::Facts;
use selvedge_clauses::load::Load;
use selvedge_clauses::rules::Clauses;
use selvedge_clauses::thread::{apart, overall};
use selvedge_clauses::view::View;
use selvedge_system::{self as system, Bad, System};

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    pub time: Option<Duration>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Take integers as unbounded.
    pub math: bool,
    /// Where the solver's questions go as text.
    pub dump: Option<Dump>,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            time: None,
            reduce: true,
            math: false,
            dump: None,
        }
    }
}

/// One attempt, and what came of it.
#[derive(Clone, Debug)]
pub struct Round {
    pub level: Level,
    /// Which integer operations wrap around, if any.
    pub modular: Option<String>,
    pub guess: bool,
    pub relations: usize,
    pub rules: usize,
    pub result: String,
    pub time: Duration,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.level)?;
        if let Some(modular) = &self.modular {
            write!(f, ", {modular}")?;
        }
        write!(
            f,
            "{}, relations {}, rules {}: {} ({:.2} s)",
            if self.guess { ", guess" } else { "" },
            self.relations,
            self.rules,
            self.result,
            self.time.as_secs_f64()
        )
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug)]
pub enum Found {
    /// Proved, by a certificate that has been checked.
    Safe(Box<Certificate>, Accepted),
    /// Violated, by a trace that has been replayed.
    Unsafe(Box<Trace>),
}

/// Looks for a proof, at growing levels.
pub fn verify(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Round),
) -> Result<Found, Stop> {
    if options.properties.contains(&Property::Deadlock) {
        return Err(Stop::Bound { what: "horn does not look at deadlocks".into() });
    }
    let search = Search::new(program, options);
    let mut attempts = Attempts::new();
    let mut obliged = Problem::of(&search, None)?;
    let mut modular = None;
    let mut wrapping = Modular::default();
    attempts.plan(&obliged.view, &obliged.facts.tiers(&obliged.view), obliged.wraps());
    while let Some(attempt) = attempts.next(search.remaining()) {
        let problem = if attempt.modular {
            if modular.is_none() {
                modular = Some(Problem::of(&search, Some(&wrapping))?);
            }
            modular.as_mut().unwrap_or(&mut obliged)
        } else {
            &mut obliged
        };
        let begun = Instant::now();
        let (outcome, relations, rules) = problem.attempt(&search, &attempt);
        progress(&Round {
            level: attempt.level.clone(),
            modular: attempt.modular.then(|| wrapping.to_string()),
            guess: attempt.guess,
            relations,
            rules,
            result: outcome.to_string(),
            time: begun.elapsed(),
        });
        let guessed = attempt.guess && !attempt.modular;
        let other = wrapping.learn(std::mem::take(&mut problem.wrapping), guessed);
        match outcome {
            Outcome::Proved(certificate, accepted) => {
                return Ok(Found::Safe(certificate, accepted));
            }
            Outcome::Rejected(_) => attempts.drop(&attempt),
            Outcome::Refuted(bad) => attempts.refuted(&attempt, &bad),
            Outcome::Real(Bad::Wrap { .. }, _) => {
                attempts.wraps();
                if attempt.modular {
                    attempts.drop(&attempt);
                }
            }
            Outcome::Real(_, Ok(trace)) => return Ok(Found::Unsafe(trace)),
            Outcome::Real(bad, Err(why)) => return Err(problem.unconfirmed(bad, why)),
            Outcome::Open(Reason::Time | Reason::Interrupted) => {}
            Outcome::Open(_) | Outcome::TooLarge | Outcome::Weak(_) => attempts.drop(&attempt),
        }
        if other {
            modular = None;
            attempts.renew();
        }
    }
    Err(search.stop())
}

/// What an attempt brought.
enum Outcome {
    Proved(Box<Certificate>, Accepted),
    /// A solution whose certificate the checker does not accept.
    Rejected(String),
    /// The level is too coarse, or the bad step can happen.
    Refuted(Bad),
    /// The bad step can happen. The trace, if the program as given goes wrong there.
    Real(Bad, Result<Box<Trace>, String>),
    Open(Reason),
    TooLarge,
    /// What has been guessed holds but does not exclude all bad steps, as this one.
    Weak(Option<Bad>),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Proved(_, accepted) => {
                write!(f, "proved, certified in {:.2} s", accepted.time.as_secs_f64())
            }
            Outcome::Rejected(why) => write!(f, "proved, not certified: {why}"),
            Outcome::Refuted(bad) => write!(f, "refuted, {}", describe(bad)),
            Outcome::Real(bad, _) => write!(f, "happens, {}", describe(bad)),
            Outcome::Open(reason) => write!(f, "open, {reason}"),
            Outcome::TooLarge => f.write_str("too large"),
            Outcome::Weak(Some(bad)) => write!(f, "not enough, {}", describe(bad)),
            Outcome::Weak(None) => f.write_str("not enough"),
        }
    }
}

fn describe(bad: &Bad) -> String {
    match bad {
        Bad::Wrong { message, span, .. } => format!("{message} in line {}", span.line),
        Bad::Undefined { what, span } | Bad::Unsupported { what, span } => {
            format!("{what} in line {}", span.line)
        }
        Bad::Wrap { span, .. } => format!("wraps around in line {}", span.line),
    }
}

struct Search<'a> {
    program: &'a Program,
    options: &'a Options,
    passes: selvedge_passes::Options,
    prepared: Prepared,
    started: Instant,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, options: &'a Options) -> Search<'a> {
        let started = Instant::now();
        let passes = selvedge_passes::Options {
            properties: options.properties.clone(),
            reduce: options.reduce,
            promote: true,
            ..selvedge_passes::Options::default()
        };
        let prepared = prepare(program, &passes);
        Search { program, options, passes, prepared, started }
    }

    /// The program prepared so that it has all visible actions, with the same edges.
    fn visible(&self) -> Prepared {
        prepare(self.program, &selvedge_passes::Options { promote: false, ..self.passes.clone() })
    }

    fn remaining(&self) -> Option<Duration> {
        self.options.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    fn limits(&self, time: Option<Duration>) -> Limits {
        let deadline = self.options.time.and_then(|time| self.started.checked_add(time));
        Limits { time, deadline, dump: self.options.dump.clone(), interrupt: None }
    }

    fn stop(&self) -> Stop {
        match self.options.time {
            Some(limit) if self.started.elapsed() >= limit => Stop::Time { limit },
            _ => Stop::Bound { what: "no proof at the levels tried".into() },
        }
    }
}

/// A system of the program, ready for clauses.
struct Problem {
    terms: Terms,
    system: System,
    view: View,
    facts: Facts,
    /// What has been guessed at levels, and holds.
    guessed: Vec<(Level, Solution)>,
    /// Operations of which the last attempt has not shown that they do not wrap around.
    wrapping: Vec<Operation>,
    load: Load,
}

impl Problem {
    /// Why there is no verdict although the bad step can happen.
    fn unconfirmed(&self, bad: Bad, why: String) -> Stop {
        match bad {
            Bad::Undefined { what, span } => Stop::Undefined { what, span },
            Bad::Unsupported { what, span } => Stop::Unsupported { what, span },
            Bad::Wrong { .. } | Bad::Wrap { .. } => self.system.unconfirmed(why),
        }
    }

    fn of(search: &Search<'_>, modular: Option<&Modular>) -> Result<Problem, Stop> {
        let options = &search.options;
        let wrap = modular.map_or(Wrap::Obliged, Modular::others);
        let arithmetic = if options.math { Arithmetic::Math } else { Arithmetic::Integers(wrap) };
        let build = system::Options {
            arithmetic,
            modular: modular.map_or_else(Default::default, Modular::edges),
            ..system::Options::new(&options.properties)
        };
        let mut system = System::build(&search.prepared, &build)?;
        let mut terms = std::mem::take(&mut system.terms);
        let view = View::of(&mut terms, &system);
        let limits = search.limits(Some(Duration::from_secs(2)));
        let facts = Facts::of(&mut terms, &view, &limits);
        Ok(Problem {
            terms,
            system,
            view,
            facts,
            guessed: Vec::new(),
            wrapping: Vec::new(),
            load: Load::of_thread().unwrap_or(Load::NONE),
        })
    }

    /// The operations that queries say may wrap around.
    fn wrapping(&self, clauses: &Clauses, rules: &[RuleId]) -> Vec<Operation> {
        let found = rules.iter().filter_map(|&rule| clauses.wrapping(&self.view, rule));
        let procedure = |template: usize| self.system.templates[template].procedure;
        found.map(|(template, edge, span)| (procedure(template), edge, span)).collect()
    }

    fn wraps(&self) -> bool {
        let mut moves = self.view.threads.iter().flat_map(|thread| &thread.moves);
        moves.any(|step| matches!(step.to, Err(Bad::Wrap { .. })))
    }

    /// A refutation counts if it is an execution.
    fn refuted(
        &mut self,
        search: &Search<'_>,
        level: &Level,
        clauses: &Clauses,
        derivation: &Derivation,
    ) -> Outcome {
        let Some(bad) = clauses.query(&self.view, derivation) else {
            return Outcome::Open(Reason::Unreadable("a refutation without a bad step".into()));
        };
        let last: Vec<RuleId> = derivation.steps.last().map(|step| step.rule).into_iter().collect();
        self.wrapping = self.wrapping(clauses, &last);
        let refutation = Refutation { view: &self.view, clauses, derivation };
        let limits = search.limits(Some(CONFIRM));
        // At low levels a refutation is rarely an execution.
        let tries = TRIES * level.others.pow(2);
        match refutation.confirm(search, tries, &mut self.system, &mut self.terms, &limits) {
            Confirmed::Open => Outcome::Refuted(bad),
            Confirmed::Real(trace) => Outcome::Real(bad, trace),
        }
    }

    /// A proof counts if the checker accepts it.
    fn certify(
        &mut self,
        search: &Search<'_>,
        level: &Level,
        clauses: &Clauses,
        solution: &Solution,
        facts: &Facts,
    ) -> Outcome {
        let arithmetic = match search.options.math {
            true => selvedge_certify::Arithmetic::Math,
            false => selvedge_certify::Arithmetic::Integers,
        };
        let mut certificate = Certificate::new("horn", search.program, &search.passes, arithmetic);
        let (system, view) = (&self.system, &self.view);
        let frame = &Frame::new(view, level, facts);
        let proof = Proof { system, view, clauses, solution, frame };
        proof.write(&mut self.terms, &mut certificate);
        let limits = search.limits(None);
        let checked = limits.together(|free| check(search.program, &certificate, free));
        match checked {
            Err(reason) => Outcome::Open(reason),
            Ok(Err(Rejected::Undecided { reason: Reason::Interrupted, .. })) => {
                Outcome::Open(Reason::Time)
            }
            Ok(Ok(accepted)) => Outcome::Proved(Box::new(certificate), accepted),
            Ok(Err(rejected)) => Outcome::Rejected(rejected.to_string()),
        }
    }

    fn attempt(&mut self, search: &Search<'_>, attempt: &Attempt) -> (Outcome, usize, usize) {
        let facts = self.facts.up_to(&self.view, attempt.level.facts);
        let frame = Frame::new(&self.view, &attempt.level, &facts);
        let Ok(clauses) = Clauses::of(&mut self.terms, &frame) else {
            return (Outcome::TooLarge, 0, 0);
        };
        if !clauses.asks() && !attempt.guess {
            let solution = clauses.all_true(&mut self.terms);
            let outcome = self.certify(search, &attempt.level, &clauses, &solution, &facts);
            return (outcome, clauses.keys.len(), clauses.origins.len());
        }
        let limits = search.limits(attempt.time.map(|time| self.load.stretch(time)));
        let outcome = if attempt.guess {
            self.guess(search, attempt, &clauses, &facts, &limits)
        } else {
            self.search(search, attempt, &clauses, &facts, &limits)
        };
        (outcome, clauses.keys.len(), clauses.origins.len())
    }

    /// The strongest solution that features can say, with pairs of them if it is not enough without.
    fn guess(
        &mut self,
        search: &Search<'_>,
        attempt: &Attempt,
        clauses: &Clauses,
        facts: &Facts,
        limits: &Limits,
    ) -> Outcome {
        let limits = &overall(limits);
        let mut open = Vec::new();
        let mut shown = None;
        for pairs in [false, true] {
            let known = self.known(&attempt.level);
            let clauses_now = match &known {
                Some(known) => &clauses.within(&mut self.terms, known),
                None => clauses,
            };
            let frame = Frame::new(&self.view, &attempt.level, facts);
            let languages = languages(&mut self.terms, &frame, clauses_now, pairs);
            let (terms, horn) = (&mut self.terms, &clauses_now.horn);
            let work = || guess::strongest(terms, horn, &languages, known.as_ref(), limits);
            let found = apart(&mut self.load, work);
            let solution = match found {
                Some(Ok((solution, rules))) if rules.is_empty() => {
                    let outcome = self.certify(search, &attempt.level, clauses, &solution, facts);
                    // The checker asks for all errors of all threads.
                    if pairs || !matches!(outcome, Outcome::Rejected(_)) {
                        return outcome;
                    }
                    solution
                }
                Some(Ok((solution, rules))) => {
                    // That an operation wraps around is less than a failure.
                    let bads = rules.iter().filter_map(|&rule| clauses_now.bad(&self.view, rule));
                    shown = bads.min_by_key(|bad| matches!(bad, Bad::Wrap { .. }));
                    open = self.wrapping(clauses_now, &rules);
                    solution
                }
                Some(Err(Reason::Interrupted)) => return Outcome::Open(Reason::Time),
                Some(Err(reason)) => return Outcome::Open(reason),
                None => return Outcome::Open(failed()),
            };
            self.guessed.retain(|(level, _)| *level != attempt.level);
            self.guessed.push((attempt.level.clone(), solution));
        }
        self.wrapping = open;
        Outcome::Weak(shown)
    }

    fn known(&self, level: &Level) -> Option<Solution> {
        let mut known = self.guessed.iter();
        known.find(|(other, _)| other == level).map(|(_, solution)| solution.clone())
    }

    fn search(
        &mut self,
        search: &Search<'_>,
        attempt: &Attempt,
        clauses: &Clauses,
        facts: &Facts,
        limits: &Limits,
    ) -> Outcome {
        let strategy = Strategy { global: attempt.global, seed: attempt.seed };
        let known = self.known(&attempt.level);
        let clauses = match &known {
            Some(known) => &clauses.within(&mut self.terms, known),
            None => clauses,
        };
        match solve(&mut self.terms, &mut self.load, clauses, limits, strategy) {
            HornAnswer::Solution(mut solution) => {
                if let Some(known) = &known {
                    guess::both(&mut self.terms, &mut solution, known);
                }
                self.certify(search, &attempt.level, clauses, &solution, facts)
            }
            HornAnswer::Unknown(Reason::Unreadable(what)) => {
                let limits = overall(&search.limits(Some(CONFIRM)));
                let (terms, horn) = (&mut self.terms, &clauses.horn);
                match apart(&mut self.load, || derive::derive(terms, horn, &limits)).flatten() {
                    Some(derivation) => self.refuted(search, &attempt.level, clauses, &derivation),
                    None => Outcome::Open(Reason::Unreadable(what)),
                }
            }
            HornAnswer::Unknown(reason) => Outcome::Open(reason),
            HornAnswer::Refuted(derivation) => {
                self.refuted(search, &attempt.level, clauses, &derivation)
            }
        }
    }
}

fn solve(
    terms: &mut Terms,
    load: &mut Load,
    clauses: &Clauses,
    limits: &Limits,
    strategy: Strategy,
) -> HornAnswer {
    let answer = apart(load, || clauses.horn.solve_by(terms, limits, strategy));
    answer.unwrap_or_else(|| HornAnswer::Unknown(failed()))
}

fn failed() -> Reason {
    Reason::Incomplete("its thread failed".into())
}

/// For the search for an execution: questions at level 1, and time for each.
const TRIES: usize = 200;
const CONFIRM: Duration = Duration::from_secs(3);
