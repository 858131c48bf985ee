//! From a certificate to a verdict, within a run.

use selvedge_certify::{Certificate, Rejected};
use selvedge_certify_locks as locks;
use selvedge_exec::Stop;
use selvedge_ir::Program;
use selvedge_passes::Unprepared;
use selvedge_smt::Reason;

use crate::evidence::{Proof, Verdict};
use crate::options::Options;
use crate::run::Run;

impl Proof {
    /// A proof by a certificate, if the checker accepts it within what is left of the run.
    pub fn certified<Own>(
        program: &Program,
        options: &Options<Own>,
        certificate: Certificate,
        run: &Run<'_>,
    ) -> Result<Proof, Stop> {
        Proof::checked(program, options, certificate, &run.limits(None))
            .map_err(|rejected| not_certified(&rejected, run))
    }
}

impl Proof {
    /// A proof by locks, if its checker accepts it within what is left of the run.
    pub fn by_locks<Own>(
        program: &Program,
        options: &Options<Own>,
        certificate: locks::Certificate,
        run: &Run<'_>,
    ) -> Result<Proof, Stop> {
        let limits = selvedge_passes::Limits::until(run.clock(), run.end());
        let proof = Proof::by_locked_memory(program, options, certificate, &limits);
        proof.map_err(|rejected| match rejected {
            locks::Rejected::Undecided(Unprepared::OutOfBudget) => run.out_of_budget(),
            other => Stop::NotCertified { why: other.to_string() },
        })
    }
}

impl Verdict {
    /// SAFE, likewise.
    pub fn certified<Own>(
        program: &Program,
        options: &Options<Own>,
        certificate: Certificate,
        run: &Run<'_>,
    ) -> Result<Verdict, Stop> {
        Proof::certified(program, options, certificate, run).map(Verdict::Safe)
    }
}

/// Why a proof that was found is no verdict.
fn not_certified(rejected: &Rejected, run: &Run<'_>) -> Stop {
    match rejected {
        Rejected::Undecided { reason: Reason::Time | Reason::Interrupted, .. } => {
            run.out_of_budget()
        }
        other => Stop::NotCertified { why: other.on_a_line() },
    }
}
