//! Proofs that fewer than 2^31 threads exist at once.
//!
//! A variable that counts threads wraps around if there are as many threads as integers. No machine
//! has so many, and a proof may assume it. With integers without bounds the count is an equality
//! between the variable and numbers of threads; if these are small, so is the variable, and the same
//! relations hold of machine integers. Tickets go round in a circle ([`crate::circle`]). Whether the
//! relations hold is the checker's question, not this one's.

use rustc_hash::FxHashMap;
use selvedge_certify::{Arithmetic, Certificate};
use selvedge_ir::Program;
use selvedge_verdict::{Integers, Options, Proof, Run, Stop};

use crate::attempts::Attempts;
use crate::circle::{circles, seen_from};
use crate::problem::{Problems, Task};
use crate::record::record;
use crate::trial::{TrialResult, attempt};
use crate::{Own, exclude};

/// Of what is left of the run.
const SHARE: f64 = 0.4;

/// A proof under the assumption, if one is found in its share of the time.
pub fn prove(
    program: &Program,
    options: &Options<Own>,
    sizes: &FxHashMap<String, i128>,
    run: &mut Run<'_>,
) -> Result<Option<Proof>, Stop> {
    let math = Options { integers: Integers::Math, ..options.clone() };
    let task = Task::new(program, &math, run)?;
    let mut problems = Problems::new(&task)?;
    let mut attempts = Attempts::new(&problems.levels(&task), false);
    let after = run.remaining().map(|left| left.mul_f64(1.0 - SHARE));
    loop {
        let left = run.remaining().zip(after).map(|(left, after)| left.saturating_sub(after));
        let Some(next) = attempts.next(left) else { return Ok(None) };
        let begun = run.elapsed();
        run.progress("few threads".to_owned());
        let problem = problems.of(&task, &next)?;
        let trial = attempt(&task, run, problem, &next);
        let seconds = (run.elapsed() - begun).as_secs_f64();
        run.round(record(&next, Some("nowhere, with few threads".to_owned()), &trial, seconds));
        match trial.result {
            TrialResult::Proof(proof, _) => {
                let Some(found) = proof.certificate() else { return Ok(None) };
                let seen = circles(problem, sizes);
                let seen = seen.iter().filter_map(|circle| seen_from(found, problem, circle));
                let few_threads = problem.view.threads.iter().any(|thread| thread.pool);
                let all = std::iter::once(found.clone()).chain(seen);
                let mut all = all.map(|found| Certificate { few_threads, ..found });
                return Ok(all.find_map(|found| machine(program, options, found, run)));
            }
            TrialResult::Happens(..) => return Ok(None),
            failed => exclude(&mut attempts, &next, &failed),
        }
    }
}

/// The proof as one about machine integers, if the checker accepts it.
fn machine(
    program: &Program,
    options: &Options<Own>,
    found: Certificate,
    run: &Run<'_>,
) -> Option<Proof> {
    let certificate = Certificate { arithmetic: Arithmetic::Integers, ..found };
    Proof::checked(program, options, certificate, &run.limits(None)).ok()
}
