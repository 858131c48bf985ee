//! Verdicts as JSON: one object, whose fields other programs may rely on.

use selvedge_exec::trace::Trace;
use serde::Serialize;

/// What a command found out. Fields that do not apply are left out.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The tool and its version.
    pub tool: String,
    /// `SAFE`, `UNSAFE` or `UNKNOWN`.
    pub verdict: &'a str,
    pub reason: &'a str,
    pub properties: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'a str>,
    /// From the start of the command, reading the sources included.
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// What an engine that tries growing bounds did, first round first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// What each engine said, where several were tried and none has a verdict.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub attempts: &'a [Attempt],
    /// Pairs of accesses that may race, where an engine looked at each.
    #[serde(skip_serializing_if = "<[RacePair]>::is_empty")]
    pub races: &'a [RacePair],
    /// What the user should know about how the program was understood.
    pub notes: Vec<String>,
    /// The evidence of UNSAFE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<&'a Trace>,
}

/// What a search of the state space took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Search {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub seconds: f64,
}

/// An engine that ended without a verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Attempt {
    pub engine: &'static str,
    /// What it covered and what stopped it.
    pub reason: String,
    pub seconds: f64,
}

/// Two accesses to the same memory, one of them to write.
#[derive(Clone, Debug, Serialize)]
pub struct RacePair {
    /// `file.c:12`.
    pub first: String,
    pub second: String,
    pub memory: String,
    /// `race`, `proved` or `open`.
    pub result: &'static str,
    /// Why it was left open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The evidence of a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// One choice of bounds and fields, and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Round {
    /// Contexts of each thread.
    pub contexts: u32,
    /// How often loops were passed.
    pub unwind: u32,
    pub threads: u32,
    /// Where threads could switch.
    pub points: usize,
    /// The size of the solver's question.
    pub terms: usize,
    pub result: &'static str,
    /// Fields of the program.
    pub fields: usize,
    /// The names of those tracked; left out where all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracked: Option<Vec<String>>,
    pub seconds: f64,
}

impl Report<'_> {
    /// One object on lines of its own.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
