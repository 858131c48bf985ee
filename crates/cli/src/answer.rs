//! What a command found out, told as text or as JSON.

use std::time::Instant;

use selvedge_certify::Certificate;
use selvedge_exec::Trace;
use selvedge_exec::trace::tool;
use selvedge_ir::{Note, Program, Property, Span};
use selvedge_report::{Attempt, Page, RacePair, Report, Round, Search, Tone, render, retell};

use crate::args::Format;
use crate::progress::{counted, grouped};
use crate::sources::SourceLines;
use crate::status::Status;
use crate::terminal;

pub struct Answer {
    pub verdict: Verdict,
    /// A few words, without a full stop.
    pub reason: String,
    /// What the user could do about it.
    pub hint: Option<String>,
    pub search: Option<Search>,
    pub rounds: Vec<Round>,
    /// Pairs of accesses that may race, where each was looked at.
    pub races: Vec<RacePair>,
    pub trace: Option<Trace>,
    /// What each engine came to, where several were tried in vain.
    pub attempts: Vec<Attempt>,
    /// Of a proof; it has been checked.
    pub certificate: Option<Box<Certificate>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Safe,
    Unsafe,
    Unknown,
}

/// What the answer is about and how it is to be told.
pub struct Context<'a> {
    pub format: Format,
    pub properties: &'a [Property],
    pub engine: Option<&'static str>,
    pub sources: &'a SourceLines,
    pub notes: &'a [String],
    pub start: Instant,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "SAFE",
            Verdict::Unsafe => "UNSAFE",
            Verdict::Unknown => "UNKNOWN",
        }
    }

    pub fn tone(self) -> Tone {
        match self {
            Verdict::Safe => Tone::Success,
            Verdict::Unsafe => Tone::Failure,
            Verdict::Unknown => Tone::Heading,
        }
    }

    pub fn status(self) -> Status {
        match self {
            Verdict::Safe => Status::Safe,
            Verdict::Unsafe => Status::Unsafe,
            Verdict::Unknown => Status::Unknown,
        }
    }
}

impl Answer {
    pub fn new(verdict: Verdict, reason: impl Into<String>) -> Answer {
        Answer {
            verdict,
            reason: reason.into(),
            hint: None,
            search: None,
            rounds: Vec::new(),
            races: Vec::new(),
            trace: None,
            attempts: Vec::new(),
            certificate: None,
        }
    }

    /// Tells the user, and gives the exit status.
    pub fn tell(&self, context: &Context) -> Status {
        let text = match context.format {
            Format::Text => self.text(context),
            Format::Json => self.json(context),
        };
        terminal::print(&text);
        self.verdict.status()
    }

    fn text(&self, context: &Context) -> String {
        let page = Page { width: terminal::width(), colour: terminal::colour_on_stdout() };
        let mut out = String::new();
        if let Some(trace) = &self.trace {
            out.push_str(&render(&retell(trace, context.sources), page));
            out.push('\n');
        }
        out.push_str(&pairs(&self.races));
        if let Some(search) = &self.search {
            out.push_str(&format!(
                "{}, {}, depth {}, {:.2} s\n",
                counted(search.states, "state"),
                counted(search.transitions, "transition"),
                grouped(search.depth),
                search.seconds
            ));
        }
        if let Some(last) = self.rounds.last() {
            out.push_str(&summary(self.rounds.len(), last, context.start));
        }
        for Attempt { engine, reason, seconds } in &self.attempts {
            out.push_str(&format!("{engine}, {seconds:.1} s: {reason}\n"));
        }
        if let Some(hint) = &self.hint {
            out.push_str(&format!("hint: {hint}\n"));
        }
        let verdict = page.paint(self.verdict.tone(), self.verdict.name());
        out.push_str(&format!("verdict: {verdict} ({})\n", self.reason));
        out
    }

    fn json(&self, context: &Context) -> String {
        let report = Report {
            tool: tool(),
            verdict: self.verdict.name(),
            reason: &self.reason,
            properties: context.properties.iter().map(|property| property.name()).collect(),
            engine: context.engine,
            seconds: context.start.elapsed().as_secs_f64(),
            search: self.search,
            rounds: self.rounds.clone(),
            attempts: &self.attempts,
            races: &self.races,
            notes: context.notes.to_vec(),
            trace: self.trace.as_ref(),
        };
        report.to_json().expect("a report has only plain data")
    }
}

/// Pairs of accesses: those that race or were left open each on a line, and how many do not race.
fn pairs(races: &[RacePair]) -> String {
    let mut out = String::new();
    let (mut proved, mut uncertified) = (0, 0);
    for pair in races {
        let RacePair { first, second, memory, result, reason, .. } = pair;
        match reason {
            None if *result == "proved" => proved += 1,
            None if *result == "uncertified" => uncertified += 1,
            None => out.push_str(&format!("race: {memory}: {first} and {second}\n")),
            Some(why) => {
                out.push_str(&format!("open: {memory}: {first} and {second}: {why}\n"));
            }
        }
    }
    if proved > 0 {
        let proved = counted(proved, "pair");
        out.push_str(&format!("{proved} of accesses proved not to race\n"));
    }
    if uncertified > 0 {
        let uncertified = counted(uncertified, "other pair");
        out.push_str(&format!("{uncertified} of accesses: no race (without a certificate)\n"));
    }
    out
}

/// What rounds came to, on a line.
fn summary(rounds: usize, last: &Round, start: Instant) -> String {
    let counted = |n: usize, what| counted(n as u64, what);
    let tracked = last.tracked.as_ref().map_or(last.fields, Vec::len);
    format!(
        "{}, the last with {}, {}, {tracked} of {}, {:.2} s\n",
        counted(rounds, "round"),
        counted(last.contexts as usize, "context"),
        counted(last.points, "scheduling point"),
        counted(last.fields, "field"),
        start.elapsed().as_secs_f64()
    )
}

/// `file.c:12`, or nothing for what has no source.
pub fn place(program: &Program, span: Span) -> Option<String> {
    let file = program.files.get(span.file).filter(|_| !span.is_none())?;
    Some(format!("{}:{}", file.name, span.line))
}

/// A program's notes, each once, with its place.
pub fn notes(program: &Program) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for Note { span, text } in &program.notes {
        let line = match place(program, *span) {
            Some(place) => format!("{place}: {text}"),
            None => text.clone(),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// More notes than this hide what comes after them.
const SHOWN_NOTES: usize = 10;

/// Notes on standard error, a few of them.
pub fn tell_notes(notes: &[String]) {
    for note in notes.iter().take(SHOWN_NOTES) {
        terminal::complain(&format!("note: {note}\n"));
    }
    if notes.len() > SHOWN_NOTES {
        let rest = notes.len() - SHOWN_NOTES;
        terminal::complain(&format!("note: {rest} more notes; `--format json` lists all\n"));
    }
}

/// The violation that a trace ends with, in a few words.
pub fn failure_reason(trace: &Trace) -> String {
    let Some(failure) = trace.failure() else { return trace.outcome.to_string() };
    match &failure.place {
        Some(place) => format!("{}, {}:{}", failure.fault, place.file, place.line),
        None => failure.fault.to_string(),
    }
}
