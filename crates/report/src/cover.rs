//! Answers about thread transition systems as JSON.

use serde::Serialize;

/// What `selvedge cover` found out. States are written as on the command line.
#[derive(Debug, Serialize)]
pub struct CoverReport {
    /// The tool and its version.
    pub tool: String,
    /// `SAFE` (not covered), `UNSAFE` (covered) or `UNKNOWN`.
    pub verdict: &'static str,
    pub reason: String,
    pub initial: String,
    pub target: String,
    /// From the start of the command, reading the system included.
    pub seconds: f64,
    pub search: CoverSearch,
    /// The evidence of UNSAFE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<CoverRun>,
    /// The evidence of SAFE: the minimal states from which the target could be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Vec<String>>,
    /// With the basis: what all reachable states keep to, so that the basis leaves out others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Vec<String>>,
}

/// What the backward search took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct CoverSearch {
    pub elements: u64,
    pub predecessors: u64,
    pub depth: u64,
    pub seconds: f64,
}

#[derive(Debug, Serialize)]
pub struct CoverRun {
    /// The state that the run starts in.
    pub initial: String,
    pub steps: Vec<CoverStep>,
}

#[derive(Debug, Serialize)]
pub struct CoverStep {
    /// The transition's line in the file.
    pub line: u32,
    pub transition: String,
    /// The passive threads that it moved: from where, to where.
    pub moves: Vec<(u32, u32)>,
    /// The state afterwards.
    pub state: String,
}

impl CoverReport {
    /// One object on lines of its own.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
