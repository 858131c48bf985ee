//! The engine `contexts` on the command line.

use std::sync::mpsc::{Sender, channel};

use selvedge_engines::contexts::{self, Covered, Options};
use selvedge_exec::{Stop, Verdict as Found};
use selvedge_ir::{Program, Property};
use selvedge_report::Round;
use selvedge_smt::Dump;

use crate::answer::{self, Answer, Verdict};
use crate::args::{Contexts, Slice, Verify};
use crate::guard::{self, Limits};
use crate::status::Refusal;
use crate::{names, terminal, verify};

pub fn verify(
    program: &Program,
    annotated: Option<Program>,
    options: &Verify,
) -> Result<Answer, Refusal> {
    if let Err(message) = selvedge_smt::version_check() {
        return Ok(Answer::new(Verdict::Unknown, message));
    }
    let limits = Limits::of(options);
    let settings = Options {
        threads: options.threads,
        time: options.time.0,
        reduce: !options.search.no_reduce,
        memory: limits.memory,
        annotated,
        ..settings(program, &options.checks.properties.0, &options.contexts)?
    };
    let dump = settings.dump.clone();
    let given = program.clone();
    let log = options.contexts.log;
    let (tell, told) = channel();
    let found = guard::run(limits, move || search(&given, &settings, log, &tell));
    let found = found.unwrap_or_else(Err);
    let rounds = told.try_iter().collect();
    if let Some(error) = dump.and_then(|dump| dump.error()) {
        terminal::complain(&format!("error: a question cannot be written: {error}\n"));
    }
    Ok(Answer { rounds, ..answer(found, program) })
}

fn search(
    program: &Program,
    settings: &Options,
    log: bool,
    rounds: &Sender<Round>,
) -> Result<Found, Stop> {
    contexts::verify(program, settings, &mut |round| {
        if log {
            terminal::complain(&format!("{round}\n"));
        }
        // Nobody listens any more when the limits are exceeded.
        let _ = rounds.send(told(round));
    })
}

fn answer(found: Result<Found, Stop>, program: &Program) -> Answer {
    match found {
        Ok(Found::Safe(_)) => unreachable!("contexts proves nothing"),
        Ok(Found::Unsafe(trace)) => {
            let reason = answer::failure_reason(&trace);
            Answer { trace: Some(*trace), ..Answer::new(Verdict::Unsafe, reason) }
        }
        Err(stop) => verify::unknown(&stop, program),
    }
}

fn told(round: &contexts::Round) -> Round {
    Round {
        contexts: round.bounds.contexts,
        unwind: round.bounds.unwind,
        threads: round.threads,
        points: round.points,
        terms: round.size.terms,
        result: match round.result {
            Covered::Violation => "violation",
            Covered::AllLoops => "nothing, for any number of passes",
            Covered::Loops => "nothing",
            Covered::Spurious => "more fields needed",
            Covered::Nothing => "no answer in time",
            Covered::TooLarge => "too large",
        },
        fields: round.fields,
        tracked: round.tracked.clone(),
        seconds: round.time.as_secs_f64(),
    }
}

pub fn dump(
    program: &Program,
    properties: &[Property],
    options: &Contexts,
) -> Result<String, Refusal> {
    Ok(contexts::dump(program, &settings(program, properties, options)?))
}

fn settings(
    program: &Program,
    properties: &[Property],
    options: &Contexts,
) -> Result<Options, Refusal> {
    let dump = options.queries.as_ref().map(|folder| {
        Dump::new(folder).map_err(|error| {
            let folder = folder.display();
            Refusal::usage(format!("the questions cannot be written to {folder}: {error}"))
        })
    });
    let settings = Options {
        contexts: options.number,
        unwind: options.unwind,
        dump: dump.transpose()?,
        slice: match options.slice {
            Slice::Auto => contexts::Slice::Auto,
            Slice::Always => contexts::Slice::Always,
            Slice::Off => contexts::Slice::Off,
        },
        track: options.track.clone(),
        points: options.points,
        ..Options::new(properties)
    };
    known_fields(program, &settings)?;
    Ok(settings)
}

/// So many fields can be listed.
const FEW: usize = 8;

/// A field that does not exist is most likely a slip of the pen.
fn known_fields(program: &Program, settings: &Options) -> Result<(), Refusal> {
    let Some(wanted) = &settings.track else { return Ok(()) };
    let fields = contexts::fields(program, settings);
    let known = |name: &String| fields.iter().any(|field| contexts::names_field(name, field));
    match wanted.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let near = names::near(name, &fields);
            let hint = match (near.as_slice(), fields.as_slice()) {
                ([], []) => "this program has none".to_owned(),
                ([], few) if few.len() <= FEW => format!("there are `{}`", few.join("`, `")),
                ([], _) => "`selvedge dump --stage fields` names the fields".to_owned(),
                (near, _) => format!("did you mean `{}`?", near.join("`, `")),
            };
            Err(Refusal::usage(format!("no field is called `{name}`; {hint}")))
        }
    }
}
