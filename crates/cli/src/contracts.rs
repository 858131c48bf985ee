//! `selvedge contracts`: the contracts of a program, procedure by procedure.

use std::time::Instant;

use selvedge_contracts::{self as contracts, Kind, Obligation, Outcome, Own, Part, Report, place};
use selvedge_explore as explore;
use selvedge_ir::{Program, Span};
use selvedge_report::{Sources, counted};
use selvedge_verdict::{Budget, Event, Run, Stop, Verdict};

use crate::args::{Contracts, Format};
use crate::guard;
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::{answer, certified, diagnose, files, input, interrupt, memory, terminal, verify};

/// Work for the search that tells whether a check that is not proved can really fail: about five
/// seconds.
const REFUTATION: u64 = 5_000_000;

pub fn contracts(options: &Contracts) -> Result<Status, Refusal> {
    let start = Instant::now();
    if let Some(path) = &options.evidence.certificate {
        files::can_be_written(path)?;
    }
    interrupt::watch();
    let properties = &options.checks.properties.0;
    let paths = &options.input.files;
    let read =
        input::load_specified(paths, &options.input.preprocessor, properties, options.library)?;
    let program = read.annotated.unwrap_or(read.program);
    let sources = SourceLines::of(paths);
    let memory = memory::default_limit();
    let budget = Budget { time: options.time.0, memory: Some(memory), work: None };
    let question = question(options)?;
    let (subject, asked) = (program.clone(), question.clone());
    let work = move |teller: guard::Teller<Result<Report, Stop>>| {
        let mut run = Run::new(budget, move |event| teller.tell(event));
        contracts::check(&subject, &asked, &mut run)
    };
    let hear = |event| {
        if let (true, Event::Progress(text)) = (options.log, event) {
            terminal::complain(&format!("{text}\n"));
        }
    };
    let report = match guard::run(budget, work, hear).and_then(|found| found) {
        Ok(report) => report,
        Err(stop) => return no_report(&program, &stop),
    };
    if options.log {
        terminal::complain(&log(&program, &report));
    }
    terminal::print(&text(&program, &report, &sources));
    if report.is_proved() {
        let left = budget.time.map(|time| time.saturating_sub(start.elapsed()));
        return Ok(certified::conclude(&program, &report, &question, options, left));
    }
    Ok(conclude(&program, &report, &question, &sources))
}

fn question(options: &Contracts) -> Result<selvedge_verdict::Options<Own>, Refusal> {
    let own = Own { commute: !options.no_commute, ..Own::default() };
    let mut question = selvedge_verdict::Options::with(&options.checks.properties.0, own);
    question.queries = verify::queries(options.queries.as_deref())?;
    Ok(question)
}

/// No obligation was decided.
fn no_report(program: &Program, stop: &Stop) -> Result<Status, Refusal> {
    if let Stop::Annotation { message, span } = stop {
        return Err(diagnose::annotation(program, *span, message));
    }
    let reason = answer::unknown(stop, program);
    let at = reason.place.map_or(String::new(), |place| format!(", {place}"));
    terminal::print(&format!("verdict: UNKNOWN ({}{at})\n", reason.reason));
    Ok(Status::Unknown)
}

fn log(program: &Program, report: &Report) -> String {
    let mut text = String::new();
    for part in &report.parts {
        text.push_str(&format!("{}: {:.2} s\n", part.name, part.seconds));
        for about in &part.invariants {
            text.push_str(&format!("  loop at {}\n", place(program, about.head)));
            about.facts.iter().for_each(|fact| text.push_str(&format!("    {fact}\n")));
        }
    }
    text
}

/// Everything that is not proved, then a line for each procedure.
fn text(program: &Program, report: &Report, sources: &SourceLines) -> String {
    let mut text = String::new();
    for obligation in report.obligations().filter(|o| !o.outcome.is_proved()) {
        text.push_str(&failure(program, obligation, sources));
        text.push('\n');
    }
    for part in &report.parts {
        text.push_str(&summary(part));
    }
    for assumption in &report.assumptions {
        text.push_str(&format!("assumed: {assumption}\n"));
    }
    text
}

fn summary(part: &Part) -> String {
    let all = part.obligations.len();
    let proved = part.obligations.iter().filter(|o| o.outcome.is_proved()).count();
    let count = counted(all as u64, "obligation");
    match all - proved {
        0 => format!("{}: {count}, all proved\n", part.name),
        open => format!("{}: {count}, {open} not proved\n", part.name),
    }
}

/// The step, the annotation, and a state in which it goes wrong.
fn failure(program: &Program, obligation: &Obligation, sources: &SourceLines) -> String {
    let mut text = format!("{}: {}\n", place(program, obligation.at), obligation.kind);
    if let Some(line) = source_line(program, obligation.at, sources) {
        text.push_str(&format!("    {line}\n"));
    }
    if let Some(annotation) = &obligation.annotation {
        let at = match annotation.span.is_none() {
            true => String::new(),
            false => format!(" at {}", place(program, annotation.span)),
        };
        text.push_str(&format!("  the annotation is{at}: {}\n", annotation.text));
    }
    match &obligation.outcome {
        Outcome::Proved => {}
        Outcome::Unknown(why) => text.push_str(&format!("  not decided: {why}\n")),
        Outcome::Failed(changes) => {
            for change in changes {
                let after = change.after.as_ref().map_or(String::new(), |a| format!(" -> {a}"));
                text.push_str(&format!("    {} = {}{after}\n", change.name, change.before));
            }
            text.push_str(&format!("  {}\n", advice(&obligation.kind)));
        }
    }
    text
}

fn source_line(program: &Program, span: Span, sources: &SourceLines) -> Option<String> {
    let file = program.files.get(span.file).filter(|_| !span.is_none())?;
    sources.line(&file.name, span.line).map(|line| line.trim().to_owned())
}

/// What an author may do about it.
fn advice(kind: &Kind) -> &'static str {
    match kind {
        Kind::Reflexive | Kind::Transitive => {
            "not proved: an assumption has to allow any number of steps of other threads, none too"
        }
        Kind::Consistent(_) => "weaken what is required or assumed",
        Kind::Initial => "not proved of the initial memory",
        Kind::LoopInvariant => "not proved: the state may be unreachable; strengthen the invariant",
        _ => {
            "not proved: the state may be unreachable; strengthen an invariant, an assumption or \
             what is required"
        }
    }
}

/// The verdict where something is not proved. What is refuted by an execution is UNSAFE.
fn conclude(
    program: &Program,
    report: &Report,
    question: &selvedge_verdict::Options<Own>,
    sources: &SourceLines,
) -> Status {
    let all = report.obligations().count();
    if let Some(found) = refutation(program, question) {
        let unsafe_ = answer::report(program, &question.properties, &Ok(found), Vec::new());
        return verify::tell(&unsafe_, Format::Text, sources, false);
    }
    let open = report.obligations().filter(|o| !o.outcome.is_proved()).count();
    let count = counted(all as u64, "obligation");
    terminal::print(&format!("verdict: UNKNOWN ({open} of {count} not proved)\n"));
    Status::Unknown
}

/// An execution in which the program goes wrong, if a short search finds one.
fn refutation(program: &Program, question: &selvedge_verdict::Options<Own>) -> Option<Verdict> {
    if program.threads.is_empty() {
        return None;
    }
    let memory = Some(memory::default_limit());
    let budget = Budget { time: None, memory, work: Some(REFUTATION) };
    let (mut subject, asked) = (program.clone(), question.ask(explore::Own::default()));
    subject.erase_ghosts(false);
    let work = move |_: guard::Teller<Option<Verdict>>| {
        let mut run = Run::silent(budget);
        explore::verify(&subject, &asked, &mut run).ok()
    };
    let found = guard::run(budget, work, |_| {}).ok().flatten();
    found.filter(|verdict| matches!(verdict, Verdict::Unsafe(_)))
}
