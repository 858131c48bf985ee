//! `horn`: proofs for any number of threads, by solutions of thread-modular Horn clauses.
//!
//! Thread-modular reasoning at a level k asks for a relation over the shared state and the local
//! states of k threads that every step of these threads and of any other thread preserves, where the
//! other thread is known to be related to the k threads in the same way. Such relations are solutions
//! of Horn clauses ([`selvedge_clauses`]); Spacer looks for them. With k = 1 this is classical
//! thread-modular reasoning; k = 2 relates pairs of threads, as a ticket lock needs; reference counts
//! need linear equalities besides ([`selvedge_clauses::linear`]). Levels are those of Hoenicke,
//! Majumdar, Podelski, "Thread modularity at many levels", 2017.
//!
//! Simple solutions are not left to chance: the strongest one that comparisons of the program can
//! express is computed ([`selvedge_clauses::guess`]), and Spacer has to find only what is missing.
//!
//! Levels grow on their own (`attempts.rs`). A solution becomes a certificate, and SAFE is said only
//! if the checker accepts it, which shares nothing with this engine but the program. A refutation at
//! a level need not be an execution of the program: its steps are put in order and replayed
//! (`refute.rs`), or a higher level is tried.
//!
//! Work: what the solver, the clauses (see [`selvedge_clauses`]) and forward chaining (`derive.rs`)
//! count. An attempt gets a share of the time, which only a wall clock stretches under load.

mod attempts;
mod cast;
mod circle;
mod derive;
mod dump;
mod few;
mod modular;
mod problem;
mod record;
mod refute;
mod trial;

pub use dump::{STAGES, dump};

use selvedge_ir::{Program, Property};
use selvedge_smt::Reason;
use selvedge_system::Bad;
use selvedge_verdict::{Abilities, Integers, Options, Run, Stop, Verdict};

use attempts::{Attempt, Attempts};
use problem::{Problems, Task};
use record::{Failures, record};
use trial::{TrialResult, attempt};

/// The engine's name, as in `--engine horn`.
pub const NAME: &str = "horn";

pub const ABILITIES: Abilities =
    Abilities { name: NAME, unchecked: &[Property::Deadlock], math: true };

/// What only this engine knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Try only relations over so many threads beside the instances that are always tracked, instead
    /// of levels that grow from 1 to 3.
    pub level: Option<usize>,
}

/// Looks for a proof, at growing levels.
///
/// ```
/// use selvedge_horn::{Own, verify};
/// use selvedge_ir::{Property, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let source = "shared x: i32; shared m: thread;
///     procedure worker() { lock m; x := 1; x := 0; unlock m; lock m; assert x == 0; unlock m; }
///     thread any worker;";
/// let program = text::parse("lock.plato", source).expect("a well-formed program");
/// let options: Options<Own> = Options::new(&[Property::Assert]);
/// let verdict = verify(&program, &options, &mut Run::silent(Budget::unlimited()));
/// let Ok(Verdict::Safe(proof)) = verdict else { panic!("no proof") };
/// assert!(proof.certificate().is_some());
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    ABILITIES.admit(options)?;
    let task = Task::new(program, options, run)?;
    let mut problems = Problems::new(&task)?;
    let mut attempts = Attempts::new(&problems.levels(&task), problems.can_wrap());
    let mut failures = Failures::default();
    let mut supposed = false;
    while let Some(next) = attempts.next(run.remaining()) {
        let begun = run.elapsed();
        let wrapping = problems.wrapping(&next);
        run.progress(record::brief(&next, wrapping.as_deref()));
        let problem = problems.of(&task, &next)?;
        let trial = attempt(&task, run, problem, &next);
        let seconds = (run.elapsed() - begun).as_secs_f64();
        run.round(record(&next, wrapping, &trial, seconds));
        failures.note(&trial.result);
        let others_wrap = problems.learn(&next);
        match trial.result {
            TrialResult::Proof(proof, _) => return Ok(Verdict::Safe(*proof)),
            TrialResult::Happens(bad, trace) if !matches!(bad, Bad::Wrap { .. }) => {
                return match trace {
                    Ok(trace) => Verdict::replayed(program, options, &trace),
                    Err(why) => Err(problems.of(&task, &next)?.unconfirmed(bad, why)),
                };
            }
            failed => exclude(&mut attempts, &next, &failed),
        }
        if others_wrap {
            problems.renew();
            attempts.renew();
        }
        // A count of threads wraps around only if there are more than there can be.
        if !std::mem::replace(&mut supposed, true)
            && options.integers == Integers::Machine
            && problems.can_wrap()
            && let Some(proof) =
                few::prove(program, options, &circle::sizes(problems.obliged()), run)?
        {
            return Ok(Verdict::Safe(proof));
        }
    }
    Err(run.exceeded().unwrap_or_else(|| failures.stop()))
}

/// Takes out of the plan what cannot succeed after this failure.
fn exclude(attempts: &mut Attempts, failed: &Attempt, result: &TrialResult) {
    match result {
        TrialResult::Refuted(bad) => attempts.refuted(failed, bad),
        // Only an operation that wraps around comes here.
        TrialResult::Happens(..) => {
            attempts.wraps();
            if failed.modular {
                attempts.drop(failed);
            }
        }
        // With more time it may succeed.
        TrialResult::Open(Reason::Time | Reason::Interrupted) => {}
        TrialResult::Proof(..)
        | TrialResult::Rejected(_)
        | TrialResult::Open(_)
        | TrialResult::TooLarge
        | TrialResult::Weak(_) => attempts.drop(failed),
    }
}
