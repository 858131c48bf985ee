//! `selvedge verify`: reads a program, gives it to an engine or to several, and tells the answer.

use std::path::Path;
use std::time::Instant;

use selvedge_engines::Engine;
use selvedge_ir::Property;
use selvedge_report::{Answer, Page, Report};
use selvedge_smt::Dump;
use selvedge_verdict::{Event, Evidence, Options, Round, RoundResult, Run, Stop, Verdict};

use crate::args::{Format, Method, Verify};
use crate::guard::{self, Teller};
use crate::progress::ProgressLine;
use crate::question::{budget, load};
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::{answer, diagnose, files, input, interrupt, knobs, sweep, terminal};

pub fn verify(options: &Verify) -> Result<Status, Refusal> {
    let start = Instant::now();
    let mut options = options.clone();
    let java = input::is_java(&options.input.files, &options.input.preprocessor);
    options.checks.properties = options.checks.properties.of_language(java)?;
    let options = &options;
    for path in [&options.output.trace, &options.evidence.certificate].into_iter().flatten() {
        files::can_be_written(path)?;
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
    let report = match (options.engine, options.checks.properties.0.as_slice()) {
        (Method::One(engine), [_]) => alone(engine, options, start)?,
        (Method::One(engine), _) if options.attempt => alone(engine, options, start)?,
        _ => sweep::verify(options, start)?,
    };
    if let Some(path) = options.output.trace.as_ref().filter(|_| !options.attempt) {
        write_traces(path, &report);
    }
    let decided = options.engine == Method::Auto;
    Ok(tell(&report, options.output.format, &SourceLines::of(&options.input.files), decided))
}

/// The first violation's trace goes where the user wants it, others beside it.
fn write_traces(path: &Path, report: &Report) {
    for (index, (property, trace)) in sweep::traces(report).enumerate() {
        match index {
            0 => files::write_trace(path, trace),
            _ => files::write_trace(&files::beside(path, property), trace),
        }
    }
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
    let name = Some(engine.name().to_owned());
    let mut report = Report { engine: name.clone(), rounds, seconds, ..report };
    if report.verdict != Answer::Safe {
        return Ok(report.of_each(&options.checks.properties.0));
    }
    report.properties.iter_mut().for_each(|property| property.engine = name.clone());
    Ok(report)
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
    let found = match found {
        // Whoever has started this attempt asks for the trace, if it is wanted.
        Err(Stop::Undefined { .. }) if !options.attempt => {
            shown(engine, options, &mut run).unwrap_or(found)
        }
        found => found,
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
        let explanation = proof.explanation().filter(|_| options.proof);
        report.proof = explanation.map(|explanation| explanation.text.clone());
        if let Some(path) = &options.evidence.certificate {
            match proof.evidence() {
                Evidence::Certificate(certificate, _) => {
                    files::write_certificate(path, certificate);
                }
                Evidence::Locks(certificate, _) => files::keep(path, &certificate.to_json()),
                _ => {}
            }
        }
    }
    Ok(report)
}

/// The violation that undefined behaviour is, where it was come upon without being asked for.
fn shown(engine: Engine, options: &Verify, run: &mut Run<'_>) -> Option<Result<Verdict, Stop>> {
    let mut more = options.clone();
    more.checks.properties.0.push(Property::Memory);
    let input = load(&more).ok()?;
    let question = Options {
        reduce: !options.search.no_reduce,
        threads: options.threads,
        integers: options.int,
        ..Options::with(&more.checks.properties.0, knobs::of(&input, &more).ok()?)
    };
    let found = selvedge_engines::verify(engine, &input.program, &question, run);
    matches!(found, Ok(Verdict::Unsafe(_))).then_some(found)
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
