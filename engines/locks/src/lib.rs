//! `locks`: proofs of programs whose threads share memory by locks, without a solver.
//!
//! Decided is whether locks that are certainly held (after Savage et al., "Eraser", 1997, as a static
//! analysis), the creation and the joining of threads, and memory that only one thread knows exclude
//! every race; and whether strided intervals and sets of addresses are enough to see that nothing else
//! goes wrong. There are few programs of which that says everything, but they are large: the
//! analysis is about linear in the program, and does not depend on the number of threads. So `auto`
//! asks this engine early.
//!
//! The engine computes the least states that are closed under the steps of all threads, as
//! [`selvedge_certify_locks`] defines them, by iteration with widening (Cousot and Cousot, 1977), in
//! `search`. Which locks exclude, who owns which memory and which lock guards which scalar is
//! guessed from what an iteration has seen, and the iteration repeated until nothing changes
//! (`claims`). There is no counterexample: where the analysis cannot show something, there is no
//! verdict. SAFE is sound because the certificate is checked, claim by claim, by
//! [`selvedge_certify_locks::check`]; nothing that is guessed here is believed.

mod claims;
mod join;
mod search;

use selvedge_certify_locks::{Certificate, Stuck, Subject, prepared};
use selvedge_ir::{Program, Property, text};
use selvedge_verdict::{Abilities, Options, Proof, Round, RoundResult, Run, Stop, Verdict};

use join::Thresholds;
use search::Found;

pub const NAME: &str = "locks";

/// Absence of deadlocks is no question of states that a thread is in.
pub const ABILITIES: Abilities =
    Abilities { name: NAME, unchecked: &[Property::Deadlock], math: false };

/// It has no knobs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own;

/// Looks for a proof.
///
/// ```
/// use selvedge_ir::{Property, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let source = "shared m: thread; shared x: i32;
///     procedure worker() { local t: i32; lock m; t := x; x := t + 1; unlock m; }
///     thread any worker;";
/// let program = text::parse("locked.plato", source).unwrap();
/// let mut run = Run::silent(Budget::unlimited());
/// let verdict = selvedge_locks::verify(&program, &Options::new(&[Property::Race]), &mut run);
/// assert!(matches!(verdict, Ok(Verdict::Safe(_))));
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    ABILITIES.admit(options)?;
    let start = run.elapsed();
    let found = prove(program, options, run);
    let seconds = (run.elapsed().saturating_sub(start)).as_secs_f64();
    let (result, runs) = match &found {
        Ok((_, runs)) => (RoundResult::Proof, *runs),
        Err(stop) => (RoundResult::Open { why: stop.to_string() }, 0),
    };
    run.round(Round::new(result, seconds).count("iterations", runs));
    found.map(|(proof, _)| Verdict::Safe(proof))
}

/// The program that it looks at, as text.
pub fn dump(program: &Program, options: &Options<Own>, run: &mut Run<'_>) -> Result<String, Stop> {
    let ready = run.analyse(|limits| prepared(program, &options.properties, limits))?;
    Ok(text::print(&ready.program))
}

/// What would be a certificate if nothing were missing. Tests hold it against the checker.
pub fn guessed(
    program: &Program,
    options: &Options<Own>,
    run: &Run<'_>,
) -> Result<Certificate, Stop> {
    guess(program, options, run).map(|(certificate, ..)| certificate)
}

/// A proof, and how often claims were guessed anew.
fn prove(program: &Program, options: &Options<Own>, run: &Run<'_>) -> Result<(Proof, u64), Stop> {
    match guess(program, options, run)? {
        (_, _, Some((why, span))) if span.is_none() => Err(no_proof(why)),
        (_, _, Some((why, span))) => Err(no_proof(format!("{why}, line {}", span.line))),
        // Whether accesses race only the checker looks at: what it refuses is not shown.
        (certificate, runs, None) => match Proof::by_locks(program, options, certificate, run) {
            Ok(proof) => Ok((proof, runs)),
            Err(Stop::NotCertified { why }) => Err(no_proof(why)),
            Err(stop) => Err(stop),
        },
    }
}

/// What was found, and what could not be shown.
fn guess(
    program: &Program,
    options: &Options<Own>,
    run: &Run<'_>,
) -> Result<(Certificate, u64, Option<Stuck>), Stop> {
    let properties = &options.properties;
    let ready = run.analyse(|limits| prepared(program, properties, limits))?;
    let subject = Subject::of(ready.program).map_err(no_proof)?;
    let thresholds = Thresholds::of(&subject);
    let Found { claims, states, runs, stuck } = run.analyse(|limits| {
        search::search(&subject, &thresholds, &ready.liveness, properties, limits)
    })?;
    let certificate = Certificate::new(program, properties);
    Ok((claims.into_certificate(certificate, states), runs, stuck))
}

fn no_proof(why: String) -> Stop {
    Stop::Refinement { what: format!("locks and intervals do not exclude: {why}") }
}
