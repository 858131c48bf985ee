//! The engine `tar` on the command line.

use std::time::Duration;

use selvedge_certify::Rejected;
use selvedge_engines::tar::{self, Found, Options, Proof, Round};
use selvedge_ir::Program;
use selvedge_smt::{Dump, Limits};

use crate::answer::{self, Answer, Verdict};
use crate::args::Verify;
use crate::{terminal, verify};

/// For one question that the check of a certificate asks.
const QUESTION: Duration = Duration::from_secs(20);

pub fn verify(program: &Program, options: &Verify) -> Answer {
    if let Err(message) = selvedge_smt::version_check() {
        return Answer::new(Verdict::Unknown, message);
    }
    let dump = options.contexts.queries.as_ref().map(|folder| Dump::new(folder));
    let dump = dump.transpose().unwrap_or_else(|error| {
        terminal::complain(&format!("error: the questions cannot be written: {error}\n"));
        None
    });
    let settings = Options {
        time: options.time.0,
        reduce: !options.search.no_reduce,
        dump,
        ..Options::new(&options.checks.properties.0)
    };
    let log = options.contexts.log;
    let mut tell = |round: &Round| {
        if log {
            terminal::complain(&format!("{round}\n"));
        }
    };
    match tar::verify(program, &settings, &mut tell) {
        Ok(Found::Safe(proof)) => safe(program, &proof, options),
        Ok(Found::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) }
        }
        Err(stop) => verify::unknown(&stop, program),
    }
}

/// SAFE, if the certificate is accepted.
fn safe(program: &Program, proof: &Proof, options: &Verify) -> Answer {
    if let Some(path) = &options.certificate
        && let Err(error) = std::fs::write(path, proof.certificate.to_json())
    {
        terminal::complain(&format!("error: cannot write {}: {error}\n", path.display()));
    }
    match selvedge_certify::check(program, &proof.certificate, &Limits::time(QUESTION)) {
        Ok(accepted) => {
            if options.proof {
                terminal::print(&proof.text());
            }
            let checked: Vec<&str> =
                options.checks.properties.0.iter().map(|property| property.name()).collect();
            let reason = format!(
                "{}: proved with {} predicates, certificate accepted ({} obligations)",
                checked.join(", "),
                proof.predicates.len(),
                accepted.obligations
            );
            Answer::new(Verdict::Safe, reason)
        }
        Err(rejected) => {
            let hint = match &rejected {
                Rejected::Fails(_) => Some("this is a defect of Selvedge".to_owned()),
                _ => None,
            };
            let reason = format!("a proof was found, but its check failed: {rejected}");
            Answer { hint, ..Answer::new(Verdict::Unknown, reason) }
        }
    }
}
