//! The engine `tar` on the command line.

use selvedge_engines::tar::{self, Found, Options, Pair, Proof, Round, Settled, Survey};
use selvedge_ir::{Program, Property};
use selvedge_report::RacePair;
use selvedge_smt::Dump;

use crate::answer::{self, Answer, Verdict};
use crate::args::{Format, Verify};
use crate::progress::ProgressLine;
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
        all_races: options.checks.properties.0.contains(&Property::Race),
        dump,
        ..Options::new(&options.checks.properties.0)
    };
    let log = options.contexts.log;
    let mut line = ProgressLine::new();
    let mut tell = |round: &Round| {
        if log {
            terminal::complain(&format!("{round}\n"));
        } else {
            line.tell(&round.brief());
        }
    };
    let Survey { found, pairs } = tar::survey(program, &settings, &mut tell);
    drop(line);
    let answer = match found {
        Ok(Found::Safe(proof)) => safe(program, *proof, options),
        Ok(Found::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) }
        }
        Err(stop) => verify::unknown(&stop, program),
    };
    let certified = answer.verdict == Verdict::Safe;
    let races = pairs.into_iter().map(|pair| told(program, pair, certified)).collect();
    Answer { races, ..answer }
}

/// A pair of accesses as it is reported. A certificate is for the program as a whole: where anything
/// goes wrong there is none, and what was proved of the rest rests on this engine alone.
fn told(program: &Program, pair: Pair, certified: bool) -> RacePair {
    let place = |span| answer::place(program, span).unwrap_or_else(|| "?".into());
    let (result, reason, trace) = match pair.settled {
        Settled::Proved if certified => ("proved", None, None),
        Settled::Proved => ("uncertified", None, None),
        Settled::Shown(trace) => ("race", None, Some(*trace)),
        Settled::Open(why) => ("open", Some(why), None),
    };
    let (first, second) = (place(pair.first), place(pair.second));
    RacePair { first, second, memory: pair.memory, result, reason, trace }
}

/// SAFE, if the certificate is accepted.
fn safe(program: &Program, proof: Proof, options: &Verify) -> Answer {
    if options.proof && options.output.format == Format::Text {
        terminal::print(&proof.text());
    }
    certify::confirm(program, proof.certificate, options)
}
