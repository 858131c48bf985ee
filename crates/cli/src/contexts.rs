//! The engine `contexts` on the command line.

use selvedge_engines::contexts::{self, Options, Round};
use selvedge_exec::Verdict as Found;
use selvedge_ir::{Program, Property};
use selvedge_smt::Dump;

use crate::answer::{self, Answer, Verdict};
use crate::args::{Contexts, Slice, Verify};
use crate::{terminal, verify};

pub fn verify(program: &Program, options: &Verify) -> Answer {
    if let Err(message) = selvedge_smt::version_check() {
        return Answer::new(Verdict::Unknown, message);
    }
    let settings = Options {
        threads: options.threads,
        time: options.time.0,
        reduce: !options.search.no_reduce,
        ..settings(&options.checks.properties.0, &options.contexts)
    };
    let log = options.contexts.log;
    let mut tell = |round: &Round| {
        if log {
            terminal::complain(&format!("{round}\n"));
        }
    };
    match contexts::verify(program, &settings, &mut tell) {
        Ok(Found::Safe(_)) => unreachable!("contexts proves nothing"),
        Ok(Found::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) }
        }
        Err(stop) => verify::unknown(&stop, program),
    }
}

pub fn dump(program: &Program, properties: &[Property], options: &Contexts) -> String {
    contexts::dump(program, &settings(properties, options))
}

fn settings(properties: &[Property], options: &Contexts) -> Options {
    let dump = options.queries.as_ref().map(|folder| Dump::new(folder));
    let dump = dump.transpose().unwrap_or_else(|error| {
        terminal::complain(&format!("error: the questions cannot be written: {error}\n"));
        None
    });
    Options {
        contexts: options.number,
        unwind: options.unwind,
        dump,
        slice: match options.slice {
            Slice::Auto => contexts::Slice::Auto,
            Slice::Always => contexts::Slice::Always,
            Slice::Off => contexts::Slice::Off,
        },
        track: options.track.clone(),
        ..Options::new(properties)
    }
}
