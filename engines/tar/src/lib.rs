//! `tar`: proofs one thread at a time.
//!
//! Henzinger, Jhala, Majumdar, Qadeer, "Thread-modular Abstraction Refinement" (TAR). Each thread is
//! abstracted by predicates and looked at alone, together with an assumption about what the others
//! do to the shared state. Threads are approximated from above and refined by predicates; the
//! assumptions start empty and grow until they cover what the threads do (§2, Algorithm TAR).
//!
//! Symbols, with the modules that compute them: t_i, the abstraction of thread i (`abstraction`);
//! g_i, what the others assume of it (`reach::Assumption`, by the thread that assumes); R, the states
//! reached, and ρ_i, what thread i does from there (`reach`); Θ, refinement (`refine`).
//!
//! Where we differ from the paper: assumptions are relations on predicates, not only a havoc map
//! (which is what they start as, see `abstraction`); any number of templates, each a single thread
//! or a pool of any number of threads, where a pool is part of its own environment (§4); a path to
//! an error is looked at with all that caused the environment's steps in it, and reported only if
//! an interleaving replays on the program as given (`concrete`); where no thread-modular proof
//! exists, private state becomes visible to the others step by step (`expose`), and threads of
//! pools are counted (`count`).
//!
//! SAFE is sound because the abstraction of a step has every behaviour of the step, and the final
//! assumptions have everything that the reached states allow; it is said only when the certificate,
//! an invariant for each thread and location, has been checked from the program alone.
//!
//! Work besides the solver's: steps on decision diagrams (`bdd`), values of variables (`flow`),
//! transitions (`transitions`), questions of the abstraction (`abstraction`), and what
//! `selvedge-system` counts for building the system and for searching executions. The weights are in
//! these modules' documentation.

mod abstraction;
mod annotate;
mod bdd;
mod concrete;
mod count;
mod derivation;
mod dump;
mod explicit;
mod expose;
mod flow;
mod interpolants;
mod literal;
mod model;
mod options;
mod pairs;
mod path;
mod predicates;
mod proof;
mod question;
mod reach;
mod record;
mod refine;
mod region;
mod slice;
mod source;
mod start;
#[cfg(test)]
mod tests;
mod transitions;
mod values;
mod wider;

use rustc_hash::FxHashSet;
use selvedge_ir::Program;
use selvedge_smt::{Limits, Reason, Term};
use selvedge_system::{At, TemplateId};
use selvedge_verdict::{Counterexample, Explanation, Moment, Options, Proof, Run, Stop, Verdict};

use abstraction::Abstraction;
use concrete::Concrete;
use count::Balance;
use derivation::derive;
use model::Model;
use pairs::Pairs;
use path::Path;
use predicates::Predicates;
use proof::Explained;
use reach::Reach;
use record::{End, Figures};
use refine::AbstractError;
use region::Space;
use source::Source;
use transitions::{TransitionId, Transitions};
use wider::Wider;

pub use dump::{dump, stages};
pub use options::{ABILITIES, NAME, Own};

/// Where a thread stands.
type Place = (TemplateId, At);

/// Proves a program safe, or finds a violation.
///
/// ```
/// use selvedge_ir::{Property, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let program = text::parse(
///     "counter.plato",
///     "shared x: i32; shared m: thread;
///      procedure inc() { local t: i32; lock m; t := x; x := t + 1; unlock m; }
///      thread any inc;",
/// )
/// .expect("a good program");
/// let options = Options::<selvedge_tar::Own>::new(&[Property::Race]);
/// let mut run = Run::silent(Budget::unlimited());
/// let verdict = selvedge_tar::verify(&program, &options, &mut run);
/// assert!(matches!(verdict, Ok(Verdict::Safe(_))));
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    options::supported(program, options)?;
    let mut pairs = options.own.all_races.then(Pairs::default);
    let verdict = decide(program, options, &mut pairs, run);
    let Some(pairs) = pairs else { return verdict };
    let first = pairs.first_race();
    run.races = pairs.list(verdict.as_ref().err().cloned());
    // One race is enough, whatever became of the others.
    verdict.or_else(|stop| first.map(Verdict::Unsafe).ok_or(stop))
}

/// Runs the algorithm, and again if it needs to be assumed that there are few threads.
fn decide(
    program: &Program,
    options: &Options<Own>,
    pairs: &mut Option<Pairs>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let mut source = Source::of(program, options, run)?;
    let mut threads = source.first()?;
    let mut carried = None;
    loop {
        let mut tar = Tar::new(&source, threads, carried.take(), run)?;
        tar.enter_pairs(pairs.take());
        let decision = tar.run(run);
        *pairs = tar.pairs.take();
        match decision? {
            Decision::Safe(explained) => {
                return tar.certified(&source, &explained, options, run);
            }
            Decision::Unsafe(counterexample) => return Ok(Verdict::Unsafe(*counterexample)),
            Decision::Few => {
                carried = Some(tar.carry_over());
                threads = source.with_few()?;
            }
        }
    }
}

/// What is known between rounds, for one system of threads.
struct Tar<'a> {
    model: Model,
    predicates: Predicates,
    transitions: Transitions,
    abstraction: Abstraction,
    concrete: Concrete<'a>,
    /// Executions that are tried beside abstract paths.
    wider: Wider,
    started: Moment,
    limits: Limits,
    /// What it means that the limits are reached.
    out_of_budget: Stop,
    /// What became of pairs of accesses, where all are looked at.
    pairs: Option<Pairs>,
    /// What relates variables to numbers of threads that are not visible yet, once that was asked.
    balances: Option<Vec<Balance>>,
    /// The variables that are related to those that are.
    counted: FxHashSet<Term>,
    number: u32,
}

/// How the algorithm ends.
#[derive(Debug)]
enum Decision {
    Safe(Box<Explained>),
    Unsafe(Box<Counterexample>),
    /// It must be repeated with fewer threads than there are machine integers.
    Few,
}

/// What came of one set of predicates.
enum Reached {
    Proof(Box<Explained>),
    Errors(Vec<AbstractError>),
}

impl Tar<'_> {
    /// §2, Algorithm TAR: refine t and empty g while there are errors, otherwise let g grow.
    fn run(&mut self, run: &mut Run<'_>) -> Result<Decision, Stop> {
        loop {
            let began = self.now();
            let mut round = self.begin_round();
            self.abstraction.update(&mut self.model, &self.predicates, &mut self.transitions);
            let reached = self.reach(&mut round).map_err(|reason| self.stop(reason));
            round.time = self.now().since(began);
            let decision = match reached {
                Ok(Reached::Proof(explained)) => self.proved(explained, &mut round),
                Ok(Reached::Errors(errors)) => self.refine(&errors, &mut round),
                Err(stop) => Err(stop),
            };
            let decision = self.after_round(decision, &mut round);
            if let Err(stop) = &decision {
                round.end = End::Stopped(stop.clone());
            }
            round.time = self.now().since(began);
            self.tell(round, run);
            if let Some(decision) = decision? {
                return Ok(decision);
            }
        }
    }

    /// R(t_i || g) with growing g: until there is an error, or g covers all that threads do.
    fn reach(&self, round: &mut Figures) -> Result<Reached, Reason> {
        let limits = self.limits.clone();
        let mut space = Space::new(&self.model, &self.predicates, &self.transitions, limits);
        let mut reach = Reach::new(&mut space);
        loop {
            reach.saturate()?;
            round.nodes = reach.space.diagrams.len();
            let errors = self.errors(&mut reach);
            reach.space.diagrams.complete()?;
            if !errors.is_empty() {
                return Ok(Reached::Errors(errors));
            }
            let grown = reach.weaken_assumptions();
            reach.space.diagrams.complete()?;
            if !grown {
                let explained = Box::new(Explained::of(&mut reach));
                reach.space.diagrams.complete()?;
                return Ok(Reached::Proof(explained));
            }
            round.inner += 1;
        }
    }

    /// R intersected with the error states: a path to each error reached.
    fn errors(&self, reach: &mut Reach) -> Vec<AbstractError> {
        let transitions = &self.transitions;
        let settled = |id: TransitionId| {
            self.pairs.as_ref().is_some_and(|p| p.is_settled(&self.model, transitions, id))
        };
        let goals = transitions.bad.iter().chain(&transitions.races).copied();
        let goals = goals.filter(|&goal| !settled(goal));
        let derivations = goals.filter_map(|goal| {
            let derivation = derive(reach, goal)?;
            let transitions = derivation.transitions(reach);
            Some(AbstractError { path: Path::of(&derivation), transitions })
        });
        derivations.collect()
    }

    /// Nothing goes wrong but what is known already.
    fn proved(
        &mut self,
        explained: Box<Explained>,
        round: &mut Figures,
    ) -> Result<Option<Decision>, Stop> {
        round.end = End::Proof;
        let Some(pairs) = &mut self.pairs else { return Ok(Some(Decision::Safe(explained))) };
        let race = pairs.first_race();
        // What is proved under an assumption is said with a certificate or not at all.
        pairs.complete = race.is_none() || !self.model.few;
        match race {
            // With a race this is a verdict all the same.
            _ if pairs.any_open() => Err(unproved("some pairs of accesses are left open")),
            Some(race) => Ok(Some(Decision::Unsafe(Box::new(race)))),
            None => Ok(Some(Decision::Safe(explained))),
        }
    }

    /// SAFE, if the checker accepts the certificate.
    fn certified(
        &mut self,
        source: &Source<'_>,
        explained: &Explained,
        options: &Options<Own>,
        run: &Run<'_>,
    ) -> Result<Verdict, Stop> {
        let certificate = explained.certificate(&mut self.model, source.program, &source.passes);
        let text = explained.text(&self.model, &self.predicate_texts());
        let explanation = Explanation { text, clauses: explained.clauses(&self.model) };
        let proof = Proof::certified(source.program, options, certificate, run)?;
        Ok(Verdict::Safe(proof.explained(explanation)))
    }

    fn begin_round(&mut self) -> Figures {
        self.number += 1;
        self.predicates.begin_round();
        Figures::new(self.number, self.predicates.len())
    }

    fn tell(&self, mut round: Figures, run: &mut Run<'_>) {
        round.queries = self.abstraction.queries;
        round.found = self.predicate_texts().split_off(round.predicates);
        run.progress(round.brief());
        run.round(round.round());
    }

    fn now(&self) -> Moment {
        self.limits.clock.now()
    }

    fn stop(&self, reason: Reason) -> Stop {
        match reason {
            Reason::Time | Reason::Interrupted => self.out_of_budget.clone(),
            other => Stop::Solver { reason: other.to_string() },
        }
    }
}

fn unproved(what: &str) -> Stop {
    Stop::Refinement { what: what.to_owned() }
}
