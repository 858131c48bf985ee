//! Traces: one execution, recorded so that it can be executed again and read by people.
//!
//! The form is JSON with a version. It holds the program as it was lowered, so that it needs no
//! other file. The schedule is the sequence of *visible* steps; the others are for people.
//! `docs/traces.md` describes every field.

use std::fmt;

use selvedge_ir::{DataModel, Program, Property, Span};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::fault::Fault;
use crate::names::{property_name, property_names};
use crate::violation::Violation;

/// Goes up when old readers would misread new traces.
pub const FORMAT: u32 = 2;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// [`FORMAT`] at the time of writing.
    pub format: u32,
    /// The tool and its version.
    pub tool: String,
    pub options: Options,
    /// The source files that the program came from.
    pub sources: Vec<String>,
    /// The program as lowered, in Plato's text form.
    pub program: String,
    pub steps: Vec<Step>,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub model: DataModel,
    /// The properties checked.
    #[serde(with = "property_names")]
    pub properties: Vec<Property>,
    /// How many threads stand for "any number".
    pub any_threads: u32,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    Violation(Failure),
    /// The program ended, or all threads did.
    Finished,
    /// A thread stands before an assumption that does not hold.
    AssumptionFailed,
    /// No thread can move, and deadlocks are not checked.
    Blocked,
    /// Some thread can still move.
    StepLimit,
    /// It cannot be followed further.
    Stopped {
        reason: String,
    },
}

/// A violation with its places in the source resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    #[serde(with = "property_name")]
    pub property: Property,
    pub fault: Fault,
    pub thread: u32,
    pub place: Option<SourcePlace>,
    /// Of a race the other access, of a deadlock the other waiting threads.
    pub others: Vec<OtherThread>,
    /// The calls that the thread is inside, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallSite>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherThread {
    pub thread: u32,
    pub place: Option<SourcePlace>,
    /// As in [`Failure`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallSite>,
}

/// A call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// The procedure that calls.
    pub procedure: String,
    /// None where it has no source, or where it may be one of several calls.
    pub place: Option<SourcePlace>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourcePlace {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// One action of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Counted from 1 in order of creation.
    pub thread: u32,
    /// The procedure that the thread is in.
    pub procedure: String,
    pub place: Option<SourcePlace>,
    /// What the action did.
    pub event: Event,
    /// The entry of the schedule; none where the action is not visible.
    pub visible: Option<VisibleStep>,
    pub changes: Vec<Change>,
}

/// One entry of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisibleStep {
    /// Which of several enabled edges was taken, by its rank among these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<u32>,
    /// The input's bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Which of the values that a load may read it read, or of the places in the modification order
    /// a store went to, counted from the newest, which is 0. Only with orders weaker than sequential
    /// consistency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<u32>,
}

/// A variable or memory cell that the action gave a new value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub name: String,
    pub value: String,
    /// Whether other threads can see it.
    pub shared: bool,
}

/// One entry of a schedule, with the thread that acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleEntry {
    pub thread: u32,
    pub visible: VisibleStep,
}

/// What is wrong with a file that should be a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    NotJson(String),
    /// JSON, but not a trace.
    Shape(String),
    Version {
        found: u64,
    },
    /// Its program cannot be read.
    Program(String),
}

impl Trace {
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a trace has only plain data")
    }

    /// Reads a trace and checks its version and shape.
    pub fn from_json(text: &str) -> Result<Trace, TraceError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| TraceError::NotJson(e.to_string()))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            None => return Err(TraceError::Shape("no field `format` with a version".into())),
            Some(found) if found != u64::from(FORMAT) => {
                return Err(TraceError::Version { found });
            }
            Some(_) => {}
        }
        serde_json::from_value(value).map_err(|e| TraceError::Shape(e.to_string()))
    }

    pub fn schedule(&self) -> Vec<ScheduleEntry> {
        let entry = |s: &Step| s.visible.map(|visible| ScheduleEntry { thread: s.thread, visible });
        self.steps.iter().filter_map(entry).collect()
    }

    /// The violation that it ends with, if it ends with one.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.outcome {
            Outcome::Violation(failure) => Some(failure),
            _ => None,
        }
    }
}

/// The name and version that traces carry.
pub fn tool() -> String {
    format!("selvedge {}", env!("CARGO_PKG_VERSION"))
}

impl SourcePlace {
    /// None for what has no source.
    pub fn of(program: &Program, span: Span) -> Option<SourcePlace> {
        if span.is_none() {
            return None;
        }
        let file = program.files.get(span.file)?.name.clone();
        Some(SourcePlace { file, line: span.line, column: span.column })
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Failure {
    /// Leaves the calls empty: they are known from the state.
    pub fn of(program: &Program, violation: &Violation) -> Failure {
        let others = violation.others.iter().map(|(thread, span)| OtherThread {
            thread: thread.0,
            place: SourcePlace::of(program, *span),
            calls: Vec::new(),
        });
        Failure {
            property: violation.property(),
            fault: violation.fault.clone(),
            thread: violation.thread.0,
            place: SourcePlace::of(program, violation.span),
            others: others.collect(),
            calls: Vec::new(),
        }
    }

    /// The same property is violated at the same place. Threads and faults may differ: symmetric
    /// threads reach the same error.
    pub fn recurs_as(&self, other: &Failure) -> bool {
        self.property == other.property && self.place == other.place
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Violation(failure) => failure.fault.fmt(f),
            Outcome::Finished => f.write_str("finished without error"),
            Outcome::AssumptionFailed => f.write_str("an assumption does not hold"),
            Outcome::Blocked => f.write_str("no thread can move"),
            Outcome::StepLimit => f.write_str("step limit reached"),
            Outcome::Stopped { reason } => f.write_str(reason),
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::NotJson(e) => write!(f, "not JSON: {e}"),
            TraceError::Shape(e) => write!(f, "not a trace: {e}"),
            TraceError::Version { found } => {
                write!(f, "trace format {found}, but this version reads format {FORMAT}")
            }
            TraceError::Program(e) => write!(f, "the trace's program is broken: {e}"),
        }
    }
}

impl std::error::Error for TraceError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Attempt;
    use crate::replay::{ReplayResult, replay};

    const DOCUMENTATION: &str = include_str!("../../../docs/traces.md");

    /// The names that a tagged enum can have, from the message about one that it cannot have.
    fn kinds<T: serde::de::DeserializeOwned>() -> Vec<String> {
        let Err(error) = serde_json::from_str::<T>("{\"kind\": \"?\"}") else {
            panic!("nothing is called so")
        };
        error.to_string().split('`').skip(3).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn every_kind_is_documented() {
        let all = [kinds::<Event>(), kinds::<Attempt>(), kinds::<Fault>(), kinds::<Outcome>()];
        assert!(all.iter().all(|kinds| kinds.len() > 5), "{all:?}");
        for kind in all.concat() {
            assert!(DOCUMENTATION.contains(&format!("`{kind}`")), "{kind}");
        }
    }

    #[test]
    fn the_documented_example_replays() {
        let (_, example) = DOCUMENTATION.split_once("apart from white space:").expect("an example");
        let trace = Trace::from_json(example).expect("a trace");
        assert_eq!(replay(&trace), Ok(ReplayResult::Recurs(trace.outcome.clone())));
        let again = crate::replay::record(
            &crate::replay::program_of(&trace).expect("a program"),
            &crate::Options { any_threads: Some(0), ..crate::Options::new(&[Property::Assert]) },
            &trace.schedule(),
        );
        assert_eq!(again.as_ref().map(|t| &t.steps), Ok(&trace.steps));
    }
}
