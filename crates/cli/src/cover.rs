//! `selvedge cover`: can any number of threads of a thread transition system cover a state?

use std::path::Path;
use std::time::Instant;

use selvedge_c_syntax::ast::Span;
use selvedge_c_syntax::{Diagnostic, SourceMap, render};
use selvedge_cover::coverability::{self, Coverage, Effort};
use selvedge_cover::evidence::{Basis, Bound, Certificate, Run, Unaccepted};
use selvedge_cover::tts::{self, Initial, State, System};
use selvedge_exec::trace::tool;
use selvedge_report::{
    Answer as Said, CoverReport, CoverRun, CoverSearch, CoverStep, Page, counted, hint,
};
use selvedge_verdict::{Budget, Run as VerdictRun, Stop};

use crate::args::{Certify, Cover, Format};
use crate::files::can_be_written;
use crate::input::{offset_of, read_text};
use crate::status::{Refusal, Status};
use crate::terminal;
use crate::{answer, guard, memory};

/// What was asked.
struct Question {
    system: System,
    initial: Initial,
    target: State,
}

/// What came of it.
struct Answer {
    question: Question,
    coverage: Coverage,
}

/// Reading, searching and checking go on in a thread of their own: whatever takes long, the answer
/// comes with the end of the time.
pub fn cover(options: &Cover) -> Result<Status, Refusal> {
    let start = Instant::now();
    if let Some(path) = &options.certificate {
        can_be_written(path)?;
    }
    let memory = Some(options.memory.unwrap_or_else(memory::default_limit));
    let budget = Budget { time: options.time.0, memory, work: None };
    let asked = options.clone();
    let work = move |_: guard::Teller<Result<Searched, Refusal>>| {
        read(&asked).map(|question| search(question, budget))
    };
    let (found, search) = match guard::run(budget, work, |_| {}) {
        Ok(done) => done?,
        Err(stop) => (Err(stop), CoverSearch { seconds: elapsed(start), ..CoverSearch::default() }),
    };
    let (verdict, reason) = judged(&found);
    let text = match options.format {
        Format::Text => text(&found, verdict, &reason, &search),
        Format::Json => json(options, &found, verdict, reason, search, start),
    };
    terminal::print(&text);
    if let (Some(path), Ok(answer)) = (&options.certificate, found) {
        write_certificate(path, answer);
    }
    Ok(answer::status(verdict))
}

fn elapsed(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}

type Searched = (Result<Answer, Stop>, CoverSearch);

fn search(question: Question, budget: Budget) -> Searched {
    let run = VerdictRun::silent(budget);
    let mut effort = Effort::default();
    let begun = Instant::now();
    let Question { system, initial, target } = &question;
    let found = coverability::cover(system, initial, target, &run, &mut effort);
    let search = CoverSearch {
        elements: effort.elements,
        predecessors: effort.predecessors,
        depth: effort.depth,
        seconds: elapsed(begun),
    };
    (found.map(|coverage| Answer { question, coverage }), search)
}

/// Checks the proof that a state is not covered, which `--certificate` wrote.
pub fn certify(text: &str, options: &Certify) -> Result<Status, Refusal> {
    let shown = options.certificate.display();
    let certificate = Certificate::from_json(text)
        .map_err(|error| Refusal::input(format!("{shown}: {error}")))?;
    for file in &options.files {
        if !certificate.is_about(&read_system(file)?) {
            let file = file.display();
            terminal::print(&format!("it is about another system than {file}\n{REJECTED}\n"));
            return Ok(Status::Unsafe);
        }
    }
    let run = VerdictRun::silent(Budget { time: options.time.0, ..Budget::unlimited() });
    let Certificate { initial, target, basis, .. } = &certificate;
    match certificate.check(&run.limits(None)) {
        Ok(()) => {}
        Err(Unaccepted::Wrong(why)) => {
            terminal::print(&format!("{why}\n{REJECTED}\n"));
            return Ok(Status::Unsafe);
        }
        Err(why @ Unaccepted::Unfinished(_)) => {
            terminal::print(&format!("certificate: undecided ({why})\n"));
            return Ok(Status::Unknown);
        }
    }
    terminal::print(&format!(
        "proved: {target} is not covered from {initial}\ncertificate: accepted ({})\n",
        size(basis)
    ));
    Ok(Status::Safe)
}

/// How large a basis is, in words.
fn size(basis: &Basis) -> String {
    let elements = format!("basis of {}", counted(basis.elements.len() as u64, "element"));
    match basis.bounds.len() as u64 {
        0 => elements,
        bounds => format!("{elements}, {}", counted(bounds, "bound")),
    }
}

const REJECTED: &str = "certificate: rejected";

fn read_system(file: &Path) -> Result<System, Refusal> {
    let text = read_text(file)?;
    tts::parse(&text).map_err(|errors| diagnostics(file, text, &errors))
}

fn read(options: &Cover) -> Result<Question, Refusal> {
    let system = read_system(&options.file)?;
    let refuse = |option: &str, message| Refusal::usage(format!("{option}: {message}"));
    let initial = match &options.init {
        Some(text) => {
            tts::parse_initial(text, &system).map_err(|message| refuse("--init", message))?
        }
        None => Initial::default(),
    };
    let target = tts::parse_target(&options.target, &system)
        .map_err(|message| refuse("--target", message))?;
    Ok(Question { system, initial, target })
}

/// All mistakes of the file, in the look of a C diagnostic.
fn diagnostics(file: &Path, text: String, errors: &[tts::ParseError]) -> Refusal {
    let mut sources = SourceMap::new();
    let source = sources.add(file.display().to_string(), text);
    let diagnostic = |error: &tts::ParseError| {
        let start = offset_of(sources.text(source), error.line, error.column) as u32;
        let span = Span { source, start, end: start + 1 };
        Diagnostic::error("tts", error.message.as_str()).at(span)
    };
    let found: Vec<Diagnostic> = errors.iter().map(diagnostic).collect();
    Refusal::diagnostics(render(&found, &sources, terminal::colour_on_stderr()))
}

fn judged(found: &Result<Answer, Stop>) -> (Said, String) {
    let (coverage, target) = match found {
        Ok(Answer { question, coverage }) => (coverage, &question.target),
        Err(stop) => return (Said::Unknown, stop.to_string()),
    };
    match coverage {
        Coverage::Covered(run) => {
            let steps = counted(run.steps.len() as u64, "step");
            let threads = counted(run.initial.threads.len() as u64, "thread");
            (Said::Unsafe, format!("{target} is covered, in {steps} from {threads}"))
        }
        Coverage::NotCovered(basis) => {
            let size = size(basis);
            let reason =
                format!("{target} is not covered by any number of threads, {size} checked");
            (Said::Safe, reason)
        }
    }
}

/// More elements than this are for programs to read.
const SHOWN_ELEMENTS: usize = 20;

fn text(found: &Result<Answer, Stop>, verdict: Said, reason: &str, search: &CoverSearch) -> String {
    let page = Page { width: terminal::width(), colour: terminal::colour_on_stdout() };
    let mut out = match found {
        Ok(Answer { question, coverage: Coverage::Covered(run) }) => {
            run_text(run, &question.system)
        }
        Ok(Answer { coverage: Coverage::NotCovered(basis), .. }) => basis_text(basis),
        Err(_) => String::new(),
    };
    out.push_str(&format!(
        "{}, {}, depth {}, {:.2} s\n",
        counted(search.elements, "element"),
        counted(search.predecessors, "predecessor"),
        search.depth,
        search.seconds
    ));
    if let Err(stop) = found
        && let Some(hint) = hint(stop)
    {
        out.push_str(&format!("hint: {hint}\n"));
    }
    let painted = page.paint(verdict.tone(), verdict.name());
    out.push_str(&format!("verdict: {painted} ({reason})\n"));
    out
}

/// One line for each step: the line in the file, the transition, the state afterwards.
fn run_text(run: &Run, system: &System) -> String {
    let rows: Vec<(String, String, String)> = run
        .steps
        .iter()
        .map(|step| {
            let transition = &system.transitions[step.transition as usize];
            let state = step.after.to_string();
            (transition.line.to_string(), transition.to_string(), state)
        })
        .collect();
    let width = |part: fn(&(String, String, String)) -> &String| {
        rows.iter().map(|row| part(row).len()).max().unwrap_or(0)
    };
    let (first, second) = (width(|row| &row.0).max(4), width(|row| &row.1).max(10));
    let heading = format!("{:>first$}  {:second$}  state\n", "line", "transition");
    let start = format!("{:>first$}  {:second$}  {}\n", "", "", run.initial);
    let steps: String = rows
        .iter()
        .map(|(line, transition, state)| format!("{line:>first$}  {transition:second$}  {state}\n"))
        .collect();
    format!("{heading}{start}{steps}\n")
}

fn basis_text(basis: &Basis) -> String {
    let mut out = String::new();
    if !basis.bounds.is_empty() {
        out.push_str("in every reachable state (#1 is the number of threads in 1):\n");
        let bounds = basis.bounds.iter().map(|bound| shortened(bound.to_string()));
        out.push_str(&some(bounds));
    }
    out.push_str("minimal states from which it could be covered:\n");
    if basis.elements.is_empty() && basis.bounds.is_empty() {
        out.push_str("  none: no thread gets to such a local state\n");
    } else if basis.elements.is_empty() {
        out.push_str("  none that can be reached\n");
    }
    out + &some(basis.elements.iter().map(State::to_string)) + "\n"
}

/// A line for each, a few of them.
fn some(all: impl ExactSizeIterator<Item = String>) -> String {
    let rest = all.len().saturating_sub(SHOWN_ELEMENTS);
    let mut out: String = all.take(SHOWN_ELEMENTS).map(|line| format!("  {line}\n")).collect();
    if rest > 0 {
        out.push_str(&format!("  and {rest} more; `--format json` lists all\n"));
    }
    out
}

/// Longer lines are for programs to read.
const SHOWN_CHARACTERS: usize = 160;

/// The line, or its beginning up to a space.
fn shortened(line: String) -> String {
    match line.get(..SHOWN_CHARACTERS).and_then(|begin| begin.rfind(' ')) {
        Some(end) => format!("{} ...", &line[..end]),
        None => line,
    }
}

fn json(
    options: &Cover,
    found: &Result<Answer, Stop>,
    verdict: Said,
    reason: String,
    search: CoverSearch,
    start: Instant,
) -> String {
    let (mut run, mut basis, mut bounds) = (None, None, None);
    let mut initial = options.init.clone().unwrap_or_else(|| Initial::default().to_string());
    let mut target = options.target.clone();
    if let Ok(Answer { question, coverage }) = found {
        (initial, target) = (question.initial.to_string(), question.target.to_string());
        match coverage {
            Coverage::Covered(found) => run = Some(run_json(found, &question.system)),
            Coverage::NotCovered(found) => {
                basis = Some(found.elements.iter().map(State::to_string).collect());
                bounds = Some(found.bounds.iter().map(Bound::to_string).collect());
            }
        }
    }
    let (tool, verdict, seconds) = (tool(), verdict.name(), elapsed(start));
    let report =
        CoverReport { tool, verdict, reason, initial, target, seconds, search, run, basis, bounds };
    report.to_json().expect("a report has only plain data")
}

fn run_json(run: &Run, system: &System) -> CoverRun {
    let steps = run.steps.iter().map(|step| {
        let transition = &system.transitions[step.transition as usize];
        CoverStep {
            line: transition.line,
            transition: transition.to_string(),
            moves: step.moves.iter().map(|(from, to)| (from.0, to.0)).collect(),
            state: step.after.to_string(),
        }
    });
    CoverRun { initial: run.initial.to_string(), steps: steps.collect() }
}

/// The verdict stands whether or not its certificate can be written.
fn write_certificate(path: &Path, answer: Answer) {
    let Answer { question: Question { system, initial, target }, coverage } = answer;
    let Coverage::NotCovered(basis) = coverage else { return };
    let certificate = Certificate { system, initial, target, basis };
    let written = certificate.to_json().map_err(|error| error.to_string());
    let written =
        written.and_then(|text| std::fs::write(path, text).map_err(|error| error.to_string()));
    if let Err(error) = written {
        terminal::complain(&format!("error: cannot write {}: {error}\n", path.display()));
    }
}
