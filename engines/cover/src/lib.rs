//! Proofs for any number of threads by covering: after Kaiser, Kroening, Wahl, "Lost in
//! Abstraction: Monotonicity in Multi-Threaded Programs" (2014).
//!
//! A finite-state thread that is run by any number of identical threads is a *thread transition
//! system* ([`tts`]). Whether some number of threads can reach (cover) a set of local states is
//! decided by a backward search over upward-closed sets ([`coverability`]); what it answers is
//! checked by [`evidence`], in the crate that checks proofs, which shares nothing with the search but
//! the system.
//!
//! A program becomes such a system by inter-thread predicate abstraction (`abstraction`, §2 to §4),
//! through predicates (`predicate`) that are given or found by refinement (`refine`). The paper takes
//! predicates as given and stops at the answer for the abstraction. Here a run that covers an error
//! is concretised, and replayed or refuted by further predicates; a proof becomes a certificate about
//! the program (`proof`). Errors that have nothing to do with each other are excluded one after the
//! other (`goals`), each by predicates of its own.
//!
//! SAFE is said only if the checker of certificates accepts, so neither the abstraction nor the
//! search has to be trusted; UNSAFE only with a trace that has been replayed on the program as it was
//! given. The time of a run goes by its clock; what the engine's own work weighs on it stands in
//! `watch` and [`coverability`].

mod abstraction;
mod concretise;
pub mod coverability;
mod dump;
mod figures;
mod goals;
mod options;
mod predicate;
mod proof;
mod refine;
mod story;
mod subject;
#[cfg(test)]
mod tests;
mod watch;

use selvedge_certify::Certificate;
use selvedge_ir::Program;
use selvedge_verdict::{Options, RoundResult, Run, Stop, Trace, Verdict};

use abstraction::{AbstractSystem, Abstraction};
use concretise::{Concrete, concretise};
use coverability::{Coverage, Effort};
use figures::Figures;
use goals::Goal;
use options::supported;
use refine::Refiner;
use subject::Subject;

pub use dump::{dump, stages};
pub use options::{ABILITIES, GivenPredicate, NAME, Own};
pub use selvedge_certify::{evidence, tts};

/// Looks for a proof for any number of threads, or an execution that goes wrong: abstract, cover,
/// concretise, refine.
///
/// ```
/// use selvedge_cover::verify;
/// use selvedge_ir::{Property, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let lock = "shared taken: i32; shared inside: i32;
///     procedure worker() {
///         atomic { wait taken == 0; taken := 1; }
///         inside := inside + 1;
///         assert inside == 1;
///         inside := inside - 1;
///         taken := 0; }
///     thread any worker;";
/// let program = text::parse("lock.plato", lock).unwrap();
/// let mut run = Run::silent(Budget::work(100_000_000));
/// let verdict = verify(&program, &Options::new(&[Property::Assert]), &mut run);
/// assert!(matches!(verdict, Ok(Verdict::Safe(_))));
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    supported(program, options)?;
    let mut subject = Subject::new(program, options, run)?;
    loop {
        match all_goals(&mut subject, run)? {
            Decided::Proved(certificate) => {
                return Verdict::certified(program, options, *certificate, run);
            }
            Decided::Violated(trace) => return Verdict::replayed(program, options, &trace),
            Decided::Otherwise | Decided::Open => {}
        }
    }
}

/// What is decided of goals.
enum Decided {
    /// Proved, if the checker accepts it.
    Proved(Box<Certificate>),
    Violated(Box<Trace>),
    /// The threads do something else than was assumed: what was proved so far is not about them.
    Otherwise,
    /// Nothing yet.
    Open,
}

/// Rounds about all goals together before they are told apart: many violations need no more.
const TOGETHER: usize = 1;

/// Goal after goal. Each adds to the certificate.
fn all_goals(subject: &mut Subject<'_>, run: &mut Run<'_>) -> Result<Decided, Stop> {
    let system = subject.system()?;
    let goals = Goal::all(&system);
    if goals.len() > 1 {
        let (whole, nothing) = (Goal::whole(&system), Box::new(subject.certificate()));
        match decide(subject, &whole, nothing, TOGETHER, run)? {
            Decided::Open => {}
            decided => return Ok(decided),
        }
    }
    let mut certificate = Box::new(subject.certificate());
    for goal in goals {
        match decide(subject, &goal, certificate, usize::MAX, run)? {
            Decided::Proved(more) => certificate = more,
            other => return Ok(other),
        }
    }
    Ok(Decided::Proved(certificate))
}

/// Abstracts, covers and refines until a goal is decided, in so many rounds.
fn decide(
    subject: &mut Subject<'_>,
    goal: &Goal,
    mut certificate: Box<Certificate>,
    most: usize,
    run: &mut Run<'_>,
) -> Result<Decided, Stop> {
    let atoms = subject.options.own.atoms;
    let mut abstraction = subject.abstraction(goal, run)?;
    let mut refiner = Refiner::new(atoms);
    for _ in 0..most {
        let mut figures = Figures::begin(run);
        let task = Task { abstraction: &mut abstraction, certificate: &mut certificate };
        let end = round(subject, task, &mut refiner, &mut figures, run);
        let record = figures.round(&mut abstraction, result(&end), run);
        run.round(record);
        match end? {
            RoundEnd::Proved => return Ok(Decided::Proved(certificate)),
            RoundEnd::Violated(trace) => return Ok(Decided::Violated(trace)),
            RoundEnd::Refined => {}
            RoundEnd::Wraps(_) => return Ok(Decided::Otherwise),
            RoundEnd::Counts => {
                abstraction = subject.abstraction(goal, run)?;
                refiner = Refiner::new(atoms);
            }
        }
    }
    Ok(Decided::Open)
}

/// What a round works on.
struct Task<'a> {
    abstraction: &'a mut Abstraction,
    /// Of the goals that are proved.
    certificate: &'a mut Certificate,
}

/// What one round leads to.
enum RoundEnd {
    /// The goal is proved, and the certificate says so.
    Proved,
    Violated(Box<Trace>),
    /// A spurious run was refuted by new predicates.
    Refined,
    /// An operation wraps around, so that the threads do something else; why.
    Wraps(&'static str),
    /// Numbers of threads are looked at from now on.
    Counts,
}

/// One round of the loop.
fn round(
    subject: &mut Subject<'_>,
    Task { abstraction, certificate }: Task<'_>,
    refiner: &mut Refiner,
    figures: &mut Figures,
    run: &Run<'_>,
) -> Result<RoundEnd, Stop> {
    run.check()?;
    let mut found = abstraction.explore()?;
    figures.explored(abstraction, &found);
    let coverage = cover_errors(abstraction, &mut found, run, &mut figures.effort)?;
    figures.covered(&coverage);
    let path = match coverage {
        Coverage::NotCovered(basis) => {
            proof::certify(abstraction, &found, &basis, certificate)?;
            return Ok(RoundEnd::Proved);
        }
        Coverage::Covered(path) => path,
    };
    match concretise(subject, abstraction, &found, &path, run)? {
        Concrete::Violation(trace) => Ok(RoundEnd::Violated(trace)),
        Concrete::Wraps { operation, span } => {
            if operation.is_some_and(|operation| subject.wraps(operation)) {
                return Ok(RoundEnd::Wraps("an operation wraps around"));
            }
            Err(Stop::Unsupported { what: "an integer operation wraps around".into(), span })
        }
        Concrete::Spurious { run: spurious, wrap } => {
            if wrap.is_some_and(|operation| subject.wraps_in_the_end(operation)) {
                let why = "an operation is taken to wrap around from now on";
                return Ok(RoundEnd::Wraps(why));
            }
            if subject.begins_to_count(abstraction) {
                return Ok(RoundEnd::Counts);
            }
            let new = refiner.refine(abstraction, &spurious);
            if new.is_empty() {
                run.check()?;
                let what = "no predicates were found against a run that cannot happen".into();
                return Err(Stop::Refinement { what });
            }
            abstraction.add(new);
            Ok(RoundEnd::Refined)
        }
    }
}

/// Whether a bad step is covered. Violations of the properties come first: that an operation might
/// wrap around, or might be undefined, matters only when no violation is covered. `found` becomes the
/// system that the answer is about.
fn cover_errors(
    abstraction: &Abstraction,
    found: &mut AbstractSystem,
    run: &Run<'_>,
    effort: &mut Effort,
) -> Result<Coverage, Stop> {
    let mut ask = |found: &AbstractSystem| {
        let AbstractSystem { system, initial, target, .. } = found;
        let mut own = Effort::default();
        let coverage = coverability::cover(system, initial, target, run, &mut own);
        *effort = effort.and(own);
        coverage
    };
    if let Some(failures) = found.failures_only(abstraction)
        && let covered @ Coverage::Covered(_) = ask(&failures)?
    {
        *found = failures;
        return Ok(covered);
    }
    ask(found)
}

/// The end of a round, for its record.
fn result(end: &Result<RoundEnd, Stop>) -> RoundResult {
    match end {
        Ok(RoundEnd::Proved) => RoundResult::Proof,
        Ok(RoundEnd::Violated(_)) => RoundResult::Violation,
        Ok(RoundEnd::Refined) => RoundResult::Spurious { why: "refuted by new predicates".into() },
        Ok(RoundEnd::Wraps(why)) => RoundResult::Spurious { why: (*why).to_owned() },
        Ok(RoundEnd::Counts) => {
            let why = "numbers of threads are looked at from now on".to_owned();
            RoundResult::Spurious { why }
        }
        Err(Stop::Time { .. } | Stop::Work { .. }) => RoundResult::OutOfTime,
        Err(stop) => RoundResult::Open { why: stop.to_string() },
    }
}
