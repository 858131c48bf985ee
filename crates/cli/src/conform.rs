//! `selvedge conform`: each thread against its abstract thread, and the abstract threads together.

use std::time::Instant;

use selvedge_conform::{self as conform, Certificate, Mismatch, Part, PartResult};
use selvedge_engines::Knobs;
use selvedge_ir::{Multiplicity, Program, Property};
use selvedge_report::{Answer, Page, Report, counted, render, retell};
use selvedge_smt::Limits;
use selvedge_verdict::{
    Budget, Event, Evidence, Measure, Obligation, Options, Round, RoundResult, Run, Stop, Verdict,
};

use crate::args::{Certify, Conform, DEFAULT_TIME, Format};
use crate::guard::{self, Teller};
use crate::sources::SourceLines;
use crate::status::{Refusal, Status};
use crate::verify::tell;
use crate::{answer, diagnose, files, input, interrupt, memory, terminal};

pub fn conform(options: &Conform) -> Result<Status, Refusal> {
    let start = Instant::now();
    for path in [&options.output.trace, &options.evidence.certificate].into_iter().flatten() {
        files::can_be_written(path)?;
    }
    interrupt::watch();
    let asked = options.clone();
    let mut rounds = Vec::new();
    let text = options.output.format == Format::Text;
    let hear = |event| {
        if let Event::Round(round) = event {
            if text {
                terminal::print(&line(&round));
            }
            rounds.push(round);
        }
    };
    let found = guard::run(budget(options), move |teller| ask(&asked, &teller, start), hear);
    let report = match found {
        Ok(report) => report?,
        Err(stop) => Report::unknown(stop, None),
    };
    if let (Some(path), Some(trace)) = (&options.output.trace, &report.trace) {
        files::write_trace(path, trace);
    }
    // For people the parts have been told already.
    let rounds = if text { Vec::new() } else { rounds };
    let engine = Some("conform".to_owned());
    let report = Report { engine, rounds, seconds: start.elapsed().as_secs_f64(), ..report };
    let report = match report.verdict {
        Answer::Safe => report,
        _ if text => report,
        _ => report.of_each(&[Property::Assert]),
    };
    Ok(tell(&report, options.output.format, &SourceLines::of(&options.input.files), false))
}

pub fn budget(options: &Conform) -> Budget {
    let memory = options.memory.unwrap_or_else(memory::default_limit);
    selvedge_smt::set_memory_limit(u32::try_from(memory >> 20).unwrap_or(u32::MAX).max(1));
    let time = match (options.time, options.work) {
        (Some(limit), _) => limit.0,
        (None, Some(_)) => None,
        (None, None) => Some(DEFAULT_TIME),
    };
    Budget { time, memory: Some(memory), work: options.work }
}

fn ask(
    options: &Conform,
    teller: &Teller<Result<Report, Refusal>>,
    start: Instant,
) -> Result<Report, Refusal> {
    let files = &options.input.files;
    let input =
        input::load_specified(files, &options.input.preprocessor, &[Property::Assert], false)?;
    let mut program = input.program;
    program.erase_ghosts(true);
    let notes = answer::notes(&program);
    if options.output.format == Format::Text {
        answer::tell_notes(&notes);
    }
    if program.spec.abstract_threads.is_empty() {
        let message =
            "the program has no abstract threads; `docs/conform.md` tells how to write one";
        return Err(Refusal::input(message));
    }
    let question: Options<Knobs> = Options::new(&[Property::Assert]);
    let mut budget = budget(options);
    budget.time = budget.time.map(|time| time.saturating_sub(start.elapsed()));
    let mut run = Run::silent(budget);
    let sources = SourceLines::of(files);
    let found = match selvedge_smt::version_check() {
        Err(reason) => Err(Stop::Solver { reason }),
        Ok(()) => conform::verify(&program, &question, &mut run, &mut |part| {
            teller.tell(Event::Round(round(part, &sources)));
        }),
    };
    if let Err(Stop::Annotation { message, span }) = &found {
        return Err(diagnose::annotation(&program, *span, message));
    }
    if let Ok(Verdict::Safe(proof)) = &found
        && let Some(path) = &options.evidence.certificate
        && let Evidence::Parts(parts) = proof.evidence()
        && let Some(certificate) = Certificate::of(&program, parts)
    {
        files::keep(path, &certificate.to_json());
    }
    let report = answer::report(&program, &[Property::Assert], &found, Vec::new());
    Ok(Report { notes, ..report })
}

/// What the name of a part begins with that is about a contract.
const CONTRACT: &str = "contract of ";

/// What is known of a part, as the record of a round.
fn round(part: &Part, sources: &SourceLines) -> Round {
    let (result, notes) = match &part.result {
        PartResult::Holds => (RoundResult::Proof, Vec::new()),
        PartResult::Mismatch(mismatch) => {
            let contract = matches!(part.obligation, Obligation::Keeps(_));
            (RoundResult::Violation, explained(mismatch, contract, sources))
        }
        PartResult::Fails(shown) => {
            let page = Page { width: terminal::width(), colour: false };
            let story = render(&retell(shown.trace(), sources), page);
            (RoundResult::Violation, story.lines().map(str::to_owned).collect())
        }
        PartResult::Open(stop) => (RoundResult::Open { why: stop.to_string() }, Vec::new()),
    };
    let what = match part.obligation {
        Obligation::Conforms(_) => format!("{} abstracts {}", part.name, part.procedure),
        Obligation::Keeps(_) => format!("{CONTRACT}{}", part.procedure),
        Obligation::Composition => "composition".to_owned(),
    };
    let mut round = Round::new(result, part.seconds).text("part", what).notes(notes);
    if let Some(engine) = part.engine {
        round = round.text("engine", engine.name());
    }
    match part.threads {
        None => round,
        Some(Multiplicity::Any) => round.text("threads", "any number of threads"),
        Some(Multiplicity::Exactly(number)) => {
            round.text("threads", counted(number.into(), "thread"))
        }
    }
}

/// Why a step has no match.
fn explained(mismatch: &Mismatch, contract: bool, sources: &SourceLines) -> Vec<String> {
    use selvedge_report::Sources;
    let mut lines = Vec::new();
    if let Some(place) = &mismatch.place {
        let code = sources.line(&place.file, place.line).unwrap_or_default();
        lines.push(format!("{}:{}: {}", place.file, place.line, code.trim()));
    }
    if let Some(assertion) = &mismatch.assertion {
        lines.push(match contract {
            true => assertion.clone(),
            false => format!("{assertion}, and no assertion of the abstract thread does"),
        });
    }
    let names = mismatch.values.iter().map(|values| values.name.len()).max().unwrap_or(0);
    for values in &mismatch.values {
        let (name, before, after) = (&values.name, &values.before, &values.after);
        lines.push(match before == after {
            true => format!("  {name:names$}  {before}"),
            false => format!("  {name:names$}  {before} becomes {after}"),
        });
    }
    if mismatch.candidates.is_empty() {
        lines.push("no abstract state is left".to_owned());
    }
    for candidate in &mismatch.candidates {
        let (word, end) = if candidate.reasons.is_empty() { ("in", "") } else { ("from", ":") };
        lines.push(format!("{word} {}{end}", candidate.state));
        lines.extend(candidate.reasons.iter().map(|reason| format!("  {reason}")));
    }
    lines
}

/// A part on a line, with what is worth knowing below it.
fn line(round: &Round) -> String {
    let text = |name: &str| match round.measure(name) {
        Some(Measure::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let part = text("part").unwrap_or_default();
    let composition = text("threads").is_some();
    let came = match (&round.result, composition) {
        (RoundResult::Proof, _) if part.starts_with(CONTRACT) => "kept".to_owned(),
        (RoundResult::Violation, _) if part.starts_with(CONTRACT) => "not kept".to_owned(),
        (RoundResult::Proof, false) => "conforms".to_owned(),
        (RoundResult::Violation, false) => "does not conform".to_owned(),
        (RoundResult::Proof, true) => "correct".to_owned(),
        (RoundResult::Violation, true) => "goes wrong".to_owned(),
        (RoundResult::Open { why }, _) => format!("not decided: {why}"),
        (other, _) => other.to_string(),
    };
    let by = [text("engine"), text("threads"), Some(format!("{:.2} s", round.seconds))];
    let by: Vec<String> = by.into_iter().flatten().collect();
    let notes: String = round.notes.iter().map(|note| format!("    {note}\n")).collect();
    format!("{part}: {came} ({})\n{notes}", by.join(", "))
}

/// Checks a proof in parts, which `--certificate` wrote.
pub fn certify(text: &str, options: &Certify) -> Result<Status, Refusal> {
    let shown = options.certificate.display();
    let malformed = |error| Refusal::input(format!("{shown}: {error}"));
    let certificate = Certificate::from_json(text).map_err(malformed)?;
    let own = certificate.program().map_err(malformed)?;
    if options.outline {
        let run = Run::silent(Budget::unlimited());
        let names = conform::part_names(&own, &run).map_err(|stop| malformed(stop.to_string()))?;
        terminal::print(&format!("parts: {}\n", names.join(", ")));
        return Ok(Status::Safe);
    }
    if !options.files.is_empty() && !is_about(&own, options)? {
        terminal::print("the certificate is about another program\ncertificate: rejected\n");
        return Ok(Status::Unsafe);
    }
    let limits = Limits { time: options.time.0, ..Limits::default() };
    let run = Run::silent(Budget::unlimited());
    let (text, status) = match conform::check(&own, &certificate, &limits, &run) {
        Ok(checked) => {
            let parts = counted(checked.conformance.parts().len() as u64, "part");
            let mut text = "proved: assert\n".to_owned();
            for assumption in checked.conformance.assumptions() {
                text.push_str(&format!("assumed: {assumption}\n"));
            }
            (text + &format!("certificate: accepted ({parts})\n"), Status::Safe)
        }
        Err(stop @ (Stop::Time { .. } | Stop::Solver { .. })) => {
            (format!("{stop}\ncertificate: not decided\n"), Status::Unknown)
        }
        Err(stop) => (format!("{stop}\ncertificate: rejected\n"), Status::Unsafe),
    };
    terminal::print(&text);
    Ok(status)
}

/// Whether the named sources are the program that the certificate carries.
fn is_about(own: &Program, options: &Certify) -> Result<bool, Refusal> {
    let checks = own.checks.clone().unwrap_or_else(|| vec![Property::Assert]);
    let mut read =
        input::load_specified(&options.files, &options.preprocessor, &checks, false)?.program;
    read.erase_ghosts(true);
    Ok(own.does_the_same_as(&read))
}

/// The parts of a program as text: one of them, or all.
pub fn dump(program: &Program, stage: Option<&str>) -> Result<String, Refusal> {
    let run = Run::silent(Budget::unlimited());
    let known =
        conform::part_names(program, &run).map_err(|stop| diagnose::stopped(program, &stop))?;
    let wanted = match stage {
        None => known.clone(),
        Some(stage) => vec![stage.to_owned()],
    };
    let mut out = String::new();
    for name in &wanted {
        let part = conform::part_named(program, &run, name)
            .map_err(|stop| diagnose::stopped(program, &stop))?;
        let Some(part) = part else {
            let known = known.join(", ");
            return Err(Refusal::usage(format!("no part is called `{name}`; there are {known}")));
        };
        if wanted.len() > 1 {
            out.push_str(&format!("// {name}\n"));
        }
        out.push_str(&selvedge_ir::text::print(&part));
    }
    Ok(out)
}
