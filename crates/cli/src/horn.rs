//! The engine `horn` on the command line.

use selvedge_engines::horn::{self, Found, Options, Round};
use selvedge_ir::Program;
use selvedge_smt::Dump;

use crate::answer::{self, Answer, Verdict};
use crate::args::{Arithmetic, Verify};
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
        math: options.int == Arithmetic::Math,
        dump,
        ..Options::new(&options.checks.properties.0)
    };
    let log = options.contexts.log;
    let mut tell = |round: &Round| {
        if log {
            terminal::complain(&format!("{round}\n"));
        }
    };
    match horn::verify(program, &settings, &mut tell) {
        Ok(Found::Safe(certificate, accepted)) => {
            certify::certified(certificate, &accepted, options)
        }
        Ok(Found::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) }
        }
        Err(stop) => verify::unknown(&stop, program),
    }
}
