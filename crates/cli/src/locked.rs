//! Certificates of proofs by locks, checked again.

use std::time::Instant;

use selvedge_certify_locks::{
    Accepted, Certificate, Rejected, check, check_alone, prepared, program_of,
};
use selvedge_ir::text;
use selvedge_passes::Limits;
use selvedge_report::counted;
use selvedge_verdict::Budget;

use crate::args::Certify;
use crate::status::{Refusal, Status};
use crate::{input, terminal};

/// Checks a certificate that `--certificate` wrote.
pub fn certify(text: &str, options: &Certify) -> Result<Status, Refusal> {
    let shown = options.certificate.display();
    let malformed = |error: String| Refusal::input(format!("{shown}: {error}"));
    let certificate = Certificate::from_json(text).map_err(malformed)?;
    let budget = Budget { time: options.time.0, ..Budget::unlimited() };
    let limits = Limits::until(&budget.clock(), budget.end());
    let own = program_of(&certificate).map_err(|error| malformed(error.to_string()))?;
    if options.outline {
        let ready = prepared(&own, &certificate.properties, &limits)
            .map_err(|why| malformed(why.to_string()))?;
        terminal::print(&text::print(&ready.program));
        return Ok(Status::Safe);
    }
    let start = Instant::now();
    let result = match options.files.is_empty() {
        true => check_alone(&certificate, &limits),
        false => {
            let checks = own.checks.unwrap_or_else(|| certificate.properties.clone());
            let input = input::load(&options.files, &options.preprocessor, &checks, false)?;
            check(&input.program, &certificate, &limits)
        }
    };
    if result.is_ok() && options.files.is_empty() {
        terminal::print("program: as the certificate carries it; not compared with sources\n");
    }
    tell(&certificate, result, start).map_err(malformed)
}

/// Tells what came of it; an error is about a certificate that has no meaning.
fn tell(
    certificate: &Certificate,
    result: Result<Accepted, Rejected>,
    start: Instant,
) -> Result<Status, String> {
    let (text, status) = match result {
        Ok(accepted) => {
            let names: Vec<&str> = certificate.properties.iter().map(|p| p.name()).collect();
            let obligations = counted(accepted.obligations as u64, "obligation");
            let seconds = start.elapsed().as_secs_f64();
            let text = format!(
                "proved: {}\nchecked in {seconds:.2} s, without a solver\n\
                 certificate: accepted ({obligations})\n",
                names.join(", ")
            );
            (text, Status::Safe)
        }
        Err(Rejected::Malformed(why)) => return Err(why),
        Err(rejected @ Rejected::Undecided(_)) => {
            (format!("{rejected}\ncertificate: not decided\n"), Status::Unknown)
        }
        Err(rejected) => (format!("{rejected}\ncertificate: rejected\n"), Status::Unsafe),
    };
    terminal::print(&text);
    Ok(status)
}
