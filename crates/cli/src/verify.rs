//! `selvedge verify`: reads a program, gives it to an engine, and tells the answer. The engine
//! `explore` is called from here.

use std::path::Path;
use std::time::Instant;

use selvedge_exec::explore::{self, Progress};
use selvedge_exec::{SafeEvidence, Stop, Trace, Verdict as Found};
use selvedge_ir::Program;
use selvedge_report::Search;

use crate::answer::{self, Answer, Context, Verdict};
use crate::args::{Arithmetic, Engine, Format, Verify};
use crate::guard::{self, Limits};
use crate::input::Input;
use crate::progress::{ProgressLine, counted};
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::{auto, certify, contexts, cover, horn, input, memory, tar, terminal};

pub fn verify(options: &Verify) -> Result<Status, Refusal> {
    let start = Instant::now();
    if let Some(path) = &options.output.trace {
        can_be_written(path)?;
    }
    if let Some(path) = &options.evidence.certificate {
        can_be_written(path)?;
    }
    let knows_math = matches!(options.engine, Engine::Auto | Engine::Horn | Engine::Cover);
    if options.int == Arithmetic::Math && !knows_math {
        let message =
            "`--int math` is for the engines horn and cover; the others know machine integers";
        return Err(Refusal::usage(message));
    }
    if options.attempt {
        end_with_stdin();
    }
    let properties = &options.checks.properties.0;
    let Input { program, annotated } =
        input::load(&options.input.files, &options.input.preprocessor, properties, false)?;
    let notes = answer::notes(&program);
    if options.output.format == Format::Text && !options.attempt {
        answer::tell_notes(&notes);
    }
    let answer = match options.engine {
        Engine::Auto => match auto::verify(&program, options)? {
            auto::Found::Decided(status) => return Ok(status),
            auto::Found::Open(answer) => *answer,
        },
        Engine::Explore => explored(&program, options),
        Engine::Contexts => contexts::verify(&program, annotated, options)?,
        Engine::Tar => guarded(&program, options, |p, o| Ok(tar::verify(p, o)))?,
        Engine::Horn => guarded(&program, options, |p, o| Ok(horn::verify(p, o)))?,
        Engine::Cover => guarded(&program, options, cover::verify::verify)?,
    };
    if let (Some(path), Some(trace)) = (&options.output.trace, &answer.trace) {
        write_trace(path, trace);
    }
    if let Some(path) = &options.evidence.certificate {
        certify::write(path, &answer);
    }
    Ok(answer.tell(&Context {
        format: options.output.format,
        properties,
        engine: Some(options.engine.name()),
        sources: &SourceLines::of(&options.input.files),
        notes: &notes,
        start,
    }))
}

/// An engine that may be long in noticing its limits, the check of what it finds included.
fn guarded(
    program: &Program,
    options: &Verify,
    engine: fn(&Program, &Verify) -> Result<Answer, Refusal>,
) -> Result<Answer, Refusal> {
    let (given, asked) = (program.clone(), options.clone());
    let found = guard::run(Limits::of(options), move || engine(&given, &asked));
    found.unwrap_or_else(|stop| Ok(unknown(&stop, program)))
}

fn explored(program: &Program, options: &Verify) -> Answer {
    let settings = explore::Options {
        time: options.time.0,
        memory: Some(options.memory.unwrap_or_else(memory::default_limit)),
        reduce: !options.search.no_reduce,
        symmetry: !options.search.no_symmetry,
        por: !options.search.no_por,
        any_threads: options.threads,
        ..explore::Options::new(&options.checks.properties.0)
    };
    let start = Instant::now();
    let mut last = Progress::default();
    let mut line = ProgressLine::new();
    let found = explore::explore(program, &settings, &mut |progress| {
        last = *progress;
        line.update(progress.states, progress.depth);
    });
    drop(line);
    let search = Search {
        states: last.states,
        transitions: last.transitions,
        depth: last.depth,
        seconds: start.elapsed().as_secs_f64(),
    };
    match found {
        Ok(Found::Safe(evidence)) => safe(evidence, search, options),
        Ok(Found::Unsafe(trace)) => unsafe_by(*trace, search),
        Err(stop) => Answer { search: Some(search), ..unknown(&stop, program) },
    }
}

fn safe(evidence: SafeEvidence, search: Search, options: &Verify) -> Answer {
    let SafeEvidence::Exhausted { states, transitions, depth } = evidence;
    let checked: Vec<&str> = options.checks.properties.0.iter().map(|p| p.name()).collect();
    let visited = counted(states, "state");
    let reason = format!("{}: search complete, {visited}", checked.join(", "));
    let search = Search { states, transitions, depth, ..search };
    Answer { search: Some(search), ..Answer::new(Verdict::Safe, reason) }
}

fn unsafe_by(trace: Trace, search: Search) -> Answer {
    let reason = answer::failure_reason(&trace);
    Answer { search: Some(search), trace: Some(trace), ..Answer::new(Verdict::Unsafe, reason) }
}

pub fn unknown(stop: &Stop, program: &Program) -> Answer {
    let place = stop.span().and_then(|span| answer::place(program, span));
    let reason = match place {
        Some(place) => format!("{stop}, {place}"),
        None => stop.to_string(),
    };
    Answer { hint: hint(stop).map(str::to_string), ..Answer::new(Verdict::Unknown, reason) }
}

/// What to try where there is no verdict.
pub fn hint(stop: &Stop) -> Option<&'static str> {
    match stop {
        Stop::Time { .. } => {
            Some("`--time SECONDS` gives it longer, `--time 0` as long as it takes")
        }
        Stop::Memory { .. } => Some("`--memory SIZE` gives it more memory"),
        Stop::Undefined { .. } => {
            Some("`--property memory` reports this as an error, with a trace")
        }
        _ => None,
    }
}

/// Whoever started this engine holds the other end; when they are gone, nobody waits for an answer.
fn end_with_stdin() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(Status::Unknown as i32);
    });
}

/// A folder that does not exist should be noticed before the search, not after it.
pub fn can_be_written(path: &Path) -> Result<(), Refusal> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Refusal::usage(format!(
            "nothing can be written to {}: there is no folder {}",
            path.display(),
            folder.display()
        ))),
        _ if path.is_dir() => Err(Refusal::usage(format!(
            "nothing can be written to {}: it is a folder",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The verdict stands whether or not its trace can be written.
pub fn write_trace(path: &Path, trace: &Trace) {
    if let Err(error) = std::fs::write(path, trace.to_json()) {
        terminal::complain(&format!("error: cannot write {}: {error}\n", path.display()));
    }
}
