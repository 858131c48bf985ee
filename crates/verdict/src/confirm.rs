//! From a certificate to a verdict, within a run.

use selvedge_certify::{Certificate, Rejected};
use selvedge_exec::Stop;
use selvedge_ir::Program;
use selvedge_smt::Reason;

use crate::evidence::{Proof, Verdict};
use crate::run::Run;

impl Verdict {
    /// SAFE, if the checker accepts the certificate within what is left of the run.
    pub fn certified(
        program: &Program,
        certificate: Certificate,
        run: &Run<'_>,
    ) -> Result<Verdict, Stop> {
        Proof::certified(program, certificate, &run.limits(None))
            .map(Verdict::Safe)
            .map_err(|rejected| not_certified(&rejected, run))
    }
}

/// Why a proof that was found is no verdict.
fn not_certified(rejected: &Rejected, run: &Run<'_>) -> Stop {
    match rejected {
        Rejected::Undecided { reason: Reason::Time | Reason::Interrupted, .. } => {
            run.out_of_budget()
        }
        other => Stop::NotCertified { why: other.to_string().replace("\n ", ",") },
    }
}
