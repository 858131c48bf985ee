//! `selvedge contracts`: the contracts of a program, procedure by procedure.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use selvedge_contracts::{self as contracts, Kind, Obligation, Outcome, Own, Part, Report, place};
use selvedge_exec::Trace;
use selvedge_explore as explore;
use selvedge_ir::{Program, Span};
use selvedge_report::{Answer, ContractsReport, Sources, counted};
use selvedge_verdict::{Budget, Event, Run, Stop, Verdict};

use crate::args::{Contracts, Format};
use crate::guard;
use crate::obligations::{self, Conclusion};
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
    let program = Arc::new(read.annotated.unwrap_or(read.program));
    let sources = SourceLines::of(paths);
    let memory = memory::default_limit();
    let budget = Budget { time: options.limit(), memory: Some(memory), work: options.work };
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
        Err(stop) => return no_report(&program, &stop, options, start),
    };
    if options.log {
        terminal::complain(&log(&program, &report));
    }
    // The checker may use as much work as the functions together.
    let left = Budget {
        time: budget.time.map(|time| time.saturating_sub(start.elapsed())),
        work: budget.work.map(|work| work.saturating_mul(report.parts.len() as u64)),
        memory: budget.memory,
    };
    let found = Answered::of(&program, &report, &question, left);
    if let Some(path) = &options.evidence.certificate {
        found.keep_certificate(path);
    }
    match options.format {
        Format::Text => Ok(tell(&program, &report, &sources, found)),
        Format::Json => Ok(tell_json(&program, &report, found, start)),
    }
}

fn question(options: &Contracts) -> Result<selvedge_verdict::Options<Own>, Refusal> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let own = Own {
        commute: !options.no_commute,
        split: !options.no_split,
        focus: !options.no_focus,
        jobs: options.jobs.map_or_else(cores, |jobs| jobs as usize),
        cache: if options.no_cache { None } else { options.cache.clone().or_else(cache_folder) },
        ..Own::default()
    };
    let mut question = selvedge_verdict::Options::with(&options.checks.properties.0, own);
    question.queries = verify::queries(options.queries.as_deref())?;
    Ok(question)
}

/// Where answers are kept unless the user says where.
fn cache_folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || named("HOME").map(|home| home.join(".cache").join("selvedge"));
    named("SELVEDGE_CACHE").or_else(home).map(|folder| folder.join("contracts"))
}

/// No obligation was decided.
fn no_report(
    program: &Program,
    stop: &Stop,
    options: &Contracts,
    start: Instant,
) -> Result<Status, Refusal> {
    if let Stop::Annotation { message, span } = stop {
        return Err(diagnose::annotation(program, *span, message));
    }
    if options.format == Format::Json {
        print_json(&obligations::stopped(program, stop, start.elapsed().as_secs_f64()));
        return Ok(Status::Unknown);
    }
    let reason = answer::unknown(stop, program);
    terminal::print(&format!("verdict: UNKNOWN ({})\n", reason.reason));
    Ok(Status::Unknown)
}

fn print_json(report: &ContractsReport) {
    terminal::print(&report.to_json().expect("a report has only plain data"));
}

fn log(program: &Program, report: &Report) -> String {
    let (checked, recalled) = report.checked_and_recalled();
    let mut text = format!("{checked} checked, {recalled} from the cache\n");
    for part in &report.parts {
        let how = if part.recalled { ", from the cache" } else { "" };
        text.push_str(&format!("{}: {:.2} s{how}\n", part.name, part.seconds));
        for about in &part.invariants {
            text.push_str(&format!("  loop at {}\n", place(program, about.head)));
            about.facts.iter().for_each(|fact| text.push_str(&format!("    {fact}\n")));
        }
    }
    text
}

/// Everything that is not proved, then a line for each procedure.
fn text(
    program: &Program,
    report: &Report,
    sources: &SourceLines,
    trace: Option<&Trace>,
) -> String {
    let mut text = String::new();
    for obligation in report.obligations().filter(|o| !o.outcome.is_proved()) {
        let refuted = obligations::is_refuted(program, obligation, trace);
        text.push_str(&failure(program, obligation, sources, refuted));
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
fn failure(
    program: &Program,
    obligation: &Obligation,
    sources: &SourceLines,
    refuted: bool,
) -> String {
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
            if !refuted {
                text.push_str(&format!("  {}\n", advice(&obligation.kind)));
            }
        }
    }
    if refuted {
        text.push_str("  false: the execution below shows it\n");
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

/// What came of it: SAFE if all is proved and the certificate is accepted, UNSAFE if an execution
/// goes wrong.
struct Answered {
    said: selvedge_report::Report,
    /// The evidence, where there is any.
    verdict: Option<Verdict>,
}

impl Answered {
    fn of(
        program: &Program,
        report: &Report,
        question: &selvedge_verdict::Options<Own>,
        left: Budget,
    ) -> Answered {
        let found = match report.is_proved() {
            true => Some(certified::proof(program, report, question, left).map(Verdict::Safe)),
            false => refutation(program, question).map(Ok),
        };
        match found {
            Some(found) => {
                let said = answer::report(program, &question.properties, &found, Vec::new());
                Answered { said, verdict: found.ok() }
            }
            None => {
                let all = report.obligations().count();
                let open = report.obligations().filter(|o| !o.outcome.is_proved()).count();
                let reason = format!("{open} of {} not proved", counted(all as u64, "obligation"));
                Answered {
                    said: selvedge_report::Report::new(Answer::Unknown, reason),
                    verdict: None,
                }
            }
        }
    }

    fn trace(&self) -> Option<&Trace> {
        self.said.trace.as_ref()
    }

    /// What the checker of the certificate assumes.
    fn assumptions(&self) -> &[String] {
        match self.verdict.as_ref().and_then(certified::evidence) {
            Some((_, accepted)) => &accepted.assumptions,
            None => &[],
        }
    }

    fn keep_certificate(&self, path: &Path) {
        if let Some((certificate, _)) = self.verdict.as_ref().and_then(certified::evidence) {
            files::keep(path, &certificate.to_json());
        }
    }
}

fn tell(program: &Program, report: &Report, sources: &SourceLines, found: Answered) -> Status {
    terminal::print(&text(program, report, sources, found.trace()));
    let new = found.assumptions().iter().filter(|a| !report.assumptions.contains(a));
    new.for_each(|assumption| terminal::print(&format!("assumed: {assumption}\n")));
    if report.is_proved() {
        let count = counted(report.obligations().count() as u64, "obligation");
        terminal::print(&format!("all {count} proved\n"));
    }
    verify::tell(&found.said, Format::Text, sources, false)
}

fn tell_json(program: &Program, report: &Report, found: Answered, start: Instant) -> Status {
    let assumptions = found.assumptions().to_vec();
    let selvedge_report::Report { verdict, reason, stop, trace, .. } = found.said;
    let seconds = start.elapsed().as_secs_f64();
    let conclusion = Conclusion { verdict, reason, stop, trace, seconds, assumptions };
    print_json(&obligations::report(program, report, conclusion));
    answer::status(verdict)
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
