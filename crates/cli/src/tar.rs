//! The engine `tar` on the command line.

use selvedge_engines::tar::{self, Found, Options, Proof, Round};
use selvedge_ir::Program;
use selvedge_smt::Dump;

use crate::answer::{self, Answer, Verdict};
use crate::args::{Format, Verify};
use crate::{certify, terminal, verify};

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
        Ok(Found::Safe(proof)) => safe(program, *proof, options),
        Ok(Found::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) }
        }
        Err(stop) => verify::unknown(&stop, program),
    }
}

/// SAFE, if the certificate is accepted.
fn safe(program: &Program, proof: Proof, options: &Verify) -> Answer {
    if options.proof && options.output.format == Format::Text {
        terminal::print(&proof.text());
    }
    certify::confirm(program, proof.certificate, options)
}
