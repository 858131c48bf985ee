//! `selvedge verify`: reads a program, gives it to an engine or to several, and tells the answer.

use std::path::Path;
use std::time::Instant;

use selvedge_certify::Certificate;
use selvedge_engines::Engine;
use selvedge_exec::Trace;
use selvedge_report::{Page, Report};
use selvedge_smt::Dump;
use selvedge_verdict::{Event, Options, Round, RoundResult, Run, Stop, Verdict};

use crate::args::{Format, Method, Verify};
use crate::guard::{self, Teller};
use crate::progress::ProgressLine;
use crate::question::{budget, load};
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::{answer, auto, diagnose, interrupt, knobs, terminal};

pub fn verify(options: &Verify) -> Result<Status, Refusal> {
    let start = Instant::now();
    for path in [&options.output.trace, &options.evidence.certificate].into_iter().flatten() {
        can_be_written(path)?;
    }
    if let Method::One(engine) = options.engine
        && !engine.knows(options.int)
    {
        let name = engine.name();
        let message = format!("engine {name} does not support `--int math`; horn and cover do");
        return Err(Refusal::usage(message));
    }
    interrupt::watch();
    if options.attempt {
        end_with_stdin();
    }
    let report = match options.engine {
        Method::Auto => auto::verify(options, start)?,
        Method::One(engine) => alone(engine, options, start)?,
    };
    if let (Some(path), Some(trace)) = (&options.output.trace, &report.trace) {
        write_trace(path, trace);
    }
    let decided = options.engine == Method::Auto;
    Ok(tell(&report, options.output.format, &SourceLines::of(&options.input.files), decided))
}

/// Tells the user, and gives the exit status.
pub fn tell(report: &Report, format: Format, sources: &SourceLines, decided: bool) -> Status {
    let page = Page { width: terminal::width(), colour: terminal::colour_on_stdout() };
    let text = match format {
        Format::Text => report.text(sources, page, decided),
        Format::Json => report.to_json().expect("a report has only plain data"),
    };
    terminal::print(&text);
    answer::status(report.verdict)
}

/// One engine in this process, under guard from the reading of the sources on.
fn alone(engine: Engine, options: &Verify, start: Instant) -> Result<Report, Refusal> {
    let asked = options.clone();
    let mut rounds = Vec::new();
    let mut reached = None;
    let mut line = ProgressLine::new();
    let hear = |event| match event {
        Event::Progress(text) => {
            line.tell(&text);
            reached = Some(text);
        }
        Event::Round(round) => {
            if options.log {
                terminal::complain(&format!("{round}\n"));
            }
            rounds.push(round);
            reached = None;
        }
    };
    let found =
        guard::run(budget(options), move |teller| ask(engine, &asked, &teller, start), hear);
    drop(line);
    let seconds = start.elapsed().as_secs_f64();
    let report = match found {
        Ok(report) => report?,
        Err(stop) => {
            rounds.extend(reached.map(|text| unfinished(text, seconds)));
            Report::unknown(stop, None)
        }
    };
    Ok(Report {
        engine: Some(engine.name().to_owned()),
        properties: options.checks.properties.0.iter().map(ToString::to_string).collect(),
        rounds,
        seconds,
        ..report
    })
}

/// How far an engine was that could not say it by itself.
fn unfinished(reached: String, seconds: f64) -> Round {
    let result = RoundResult::Open { why: "not finished".to_owned() };
    Round::new(result, seconds).text("reached", reached)
}

/// Reads the program, asks the engine, and keeps the certificate of a proof.
fn ask(
    engine: Engine,
    options: &Verify,
    teller: &Teller<Result<Report, Refusal>>,
    start: Instant,
) -> Result<Report, Refusal> {
    let input = load(options)?;
    let notes = answer::notes(&input.program);
    if options.output.format == Format::Text {
        answer::tell_notes(&notes);
    }
    let question = Options {
        integers: options.int,
        reduce: !options.search.no_reduce,
        threads: options.threads,
        queries: queries(options.queries.as_deref())?,
        ..Options::with(&options.checks.properties.0, knobs::of(&input, options)?)
    };
    let mut budget = budget(options);
    budget.time = budget.time.map(|time| time.saturating_sub(start.elapsed()));
    let mut run = Run::new(budget, |event| teller.tell(event));
    let found = match selvedge_smt::version_check() {
        Err(reason) if engine.solves() => Err(Stop::Solver { reason }),
        _ => selvedge_engines::verify(engine, &input.program, &question, &mut run),
    };
    let found = found.map_err(|stop| whole_limit(stop, options));
    if let Err(Stop::Annotation { message, span }) = &found {
        return Err(diagnose::annotation(&input.program, *span, message));
    }
    if let Some(error) = question.queries.as_ref().and_then(Dump::error) {
        terminal::complain(&format!("error: cannot write a question of `--queries`: {error}\n"));
    }
    let races = std::mem::take(&mut run.races);
    drop(run);
    let mut report = answer::report(&input.program, &question.properties, &found, races);
    report.notes = notes;
    if let Ok(Verdict::Safe(proof)) = &found {
        report.proof = proof.explanation().filter(|_| options.proof).map(str::to_owned);
        if let (Some(path), Some(certificate)) =
            (&options.evidence.certificate, proof.certificate())
        {
            write_certificate(path, certificate);
        }
    }
    Ok(report)
}

/// The engine had what the reading of the sources left; the user gave all of it.
fn whole_limit(stop: Stop, options: &Verify) -> Stop {
    match (stop, options.limit()) {
        (Stop::Time { .. }, Some(limit)) => Stop::Time { limit },
        (stop, _) => stop,
    }
}

/// Where the solver's questions are written to.
pub fn queries(folder: Option<&Path>) -> Result<Option<Dump>, Refusal> {
    let dump = folder.map(|folder| {
        Dump::new(folder).map_err(|error| {
            let folder = folder.display();
            Refusal::usage(format!("cannot write questions to the folder {folder}: {error}"))
        })
    });
    dump.transpose()
}

/// Whoever started this engine holds the other end; when they are gone or want to know what is
/// known so far, it comes to an end.
fn end_with_stdin() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        interrupt::raise();
        std::thread::sleep(interrupt::PATIENCE);
        std::process::exit(Status::Unknown as i32);
    });
}

/// A folder that does not exist should be noticed before the search, not after it.
pub fn can_be_written(path: &Path) -> Result<(), Refusal> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(Refusal::usage(format!(
            "cannot write {}: there is no folder {}; make it first",
            path.display(),
            folder.display()
        ))),
        _ if path.is_dir() => Err(Refusal::usage(format!(
            "cannot write {}: it is a folder; name a file",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The verdict stands whether or not its trace can be written.
pub fn write_trace(path: &Path, trace: &Trace) {
    keep(path, &trace.to_json());
}

/// Likewise its certificate.
fn write_certificate(path: &Path, certificate: &Certificate) {
    keep(path, &certificate.to_json());
}

fn keep(path: &Path, text: &str) {
    if let Err(error) = std::fs::write(path, text) {
        terminal::complain(&format!("error: cannot write {}: {error}\n", path.display()));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_user_is_told_the_whole_limit() {
        let options = crate::args::tests::verify(&["--time", "3"]);
        let stop = Stop::Time { limit: Duration::from_secs(2) };
        assert_eq!(whole_limit(stop, &options), Stop::Time { limit: Duration::from_secs(3) });
    }
}
