//! What a case file says about itself in its comments.

use std::collections::BTreeSet;
use std::fmt;

use selvedge_ir::{DataModel, Property};

use crate::pipeline::Answer;

/// The comments at the head of a case, and the lines it marks.
#[derive(Debug)]
pub struct Case {
    pub truth: Truth,
    pub properties: Vec<Property>,
    pub model: DataModel,
    pub explore: Expected,
    /// Within two contexts a thread; none if the case does not say.
    pub contexts: Option<Expected>,
    /// Other files that are linked with it, relative to its folder.
    pub with: Vec<String>,
    /// Of a rejected case: what a message must contain.
    pub error: Option<String>,
    /// Lines with `// FAILS` or `// ERROR`.
    pub marked: BTreeSet<u32>,
    /// Lines with `// CAN FAIL`: another engine may report these instead.
    pub others: BTreeSet<u32>,
}

/// About the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Safe,
    Unsafe,
    Rejected,
}

/// About the engine.
#[derive(Debug, PartialEq, Eq)]
pub enum Expected {
    Safe,
    Unsafe,
    /// No verdict, and the reason contains these words.
    Unknown(String),
}

impl Case {
    pub fn read(text: &str) -> Result<Case, String> {
        let truth = match field(text, "truth").ok_or("no line `// truth: ...`")? {
            "safe" => Truth::Safe,
            "unsafe" => Truth::Unsafe,
            "rejected" => Truth::Rejected,
            other => return Err(format!("truth `{other}` is not safe, unsafe or rejected")),
        };
        field(text, "why").ok_or("no line `// why: ...`")?;
        let properties = field(text, "property").ok_or("no line `// property: ...`")?;
        let model = match field(text, "model") {
            None | Some("lp64") => DataModel::Lp64,
            Some("ilp32") => DataModel::Ilp32,
            Some(other) => return Err(format!("no data model `{other}`")),
        };
        let mark = if truth == Truth::Rejected { "// ERROR" } else { "// FAILS" };
        let marked = marked_lines(text, mark);
        if truth == Truth::Unsafe && marked.is_empty() {
            return Err("an unsafe case marks the failing line with `// FAILS`".into());
        }
        let error = field(text, "error").map(str::to_string);
        if truth == Truth::Rejected && error.is_none() {
            return Err("a rejected case has a line `// error: ...`".into());
        }
        Ok(Case {
            truth,
            properties: properties.split(',').map(property).collect::<Result<_, _>>()?,
            model,
            explore: explore(text, truth)?,
            contexts: expected(text, "contexts")?,
            with: field(text, "with")
                .map_or(Vec::new(), |w| w.split_whitespace().map(str::to_string).collect()),
            error,
            marked,
            others: marked_lines(text, "// CAN FAIL"),
        })
    }
}

/// The value of `// key: value`, from the comment lines that the file begins with.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let head = text.lines().take_while(|line| line.starts_with("//"));
    head.filter_map(|line| line[2..].trim_start().strip_prefix(key)?.strip_prefix(':'))
        .map(str::trim)
        .next()
}

fn property(name: &str) -> Result<Property, String> {
    let name = name.trim();
    Property::from_name(name).ok_or_else(|| format!("no property `{name}`"))
}

fn explore(text: &str, truth: Truth) -> Result<Expected, String> {
    match (expected(text, "explore")?, truth) {
        (Some(expected), _) => Ok(expected),
        (None, Truth::Rejected) => Ok(Expected::Unknown(String::new())),
        (None, _) => Err("no line `// engines: explore=...`".into()),
    }
}

/// What the case expects of an engine, if it says so.
fn expected(text: &str, engine: &str) -> Result<Option<Expected>, String> {
    let engines = field(text, "engines").unwrap_or_default();
    let Some((_, answer)) = engines.split_once(&format!("{engine}=")) else { return Ok(None) };
    if let Some(reason) = answer.strip_prefix("unknown(") {
        let reason = reason.split(')').next().unwrap_or_default();
        return Ok(Some(Expected::Unknown(reason.to_string())));
    }
    match answer.split_whitespace().next() {
        Some("safe") => Ok(Some(Expected::Safe)),
        Some("unsafe") => Ok(Some(Expected::Unsafe)),
        other => Err(format!("{engine}={} is not an expectation", other.unwrap_or_default())),
    }
}

fn marked_lines(text: &str, mark: &str) -> BTreeSet<u32> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| line.contains(mark)).map(|(number, _)| number).collect()
}

impl Expected {
    pub fn admits(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Expected::Safe, Answer::Safe) | (Expected::Unsafe, Answer::Unsafe { .. }) => true,
            (Expected::Unknown(words), Answer::Unknown { reason }) => {
                reason.to_lowercase().contains(&words.to_lowercase())
            }
            _ => false,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Safe => f.write_str("safe"),
            Expected::Unsafe => f.write_str("unsafe"),
            Expected::Unknown(words) => write!(f, "unknown({words})"),
        }
    }
}
