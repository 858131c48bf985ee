//! What a case file says about itself in its comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use selvedge_engines::Engine;
use selvedge_ir::{DataModel, Property};

use crate::pipeline::Answer;

/// The comments at the head of a case, and the lines it marks.
#[derive(Debug)]
pub struct Case {
    pub truth: Truth,
    pub properties: Vec<Property>,
    pub model: DataModel,
    /// What each engine answers; those that are missing are not stated.
    pub engines: BTreeMap<Engine, Expected>,
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
            engines: engines(field(text, "engines").unwrap_or_default())?,
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

/// `explore=safe tar=unknown(refinement)`.
fn engines(text: &str) -> Result<BTreeMap<Engine, Expected>, String> {
    let mut found = BTreeMap::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) =
            rest.split_once('=').ok_or_else(|| format!("`{rest}` has no answer"))?;
        let engine = Engine::from_name(name).ok_or_else(|| format!("no engine `{name}`"))?;
        let end = match after.find('(') {
            Some(open)
                if after[..open].trim_end().ends_with("unknown")
                    && !after[..open].contains(' ') =>
            {
                after.find(')').map_or(after.len(), |close| close + 1)
            }
            _ => after.find(' ').unwrap_or(after.len()),
        };
        found.insert(engine, Expected::read(&after[..end])?);
        rest = after[end..].trim_start();
    }
    Ok(found)
}

/// The text of a case with other expectations of engines.
pub fn restate(text: &str, engines: &BTreeMap<Engine, Expected>) -> String {
    let all: Vec<String> =
        engines.iter().map(|(engine, expected)| format!("{}={expected}", engine.name())).collect();
    let line = format!("// engines: {}", all.join(" "));
    let mut lines: Vec<&str> = text.lines().collect();
    match lines.iter().position(|line| line.starts_with("// engines:")) {
        Some(at) => lines[at] = &line,
        None => {
            let property = lines.iter().position(|line| line.starts_with("// property:"));
            lines.insert(property.map_or(0, |at| at + 1), &line);
        }
    }
    let end = if text.ends_with('\n') { "\n" } else { "" };
    lines.join("\n") + end
}

fn marked_lines(text: &str, mark: &str) -> BTreeSet<u32> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| line.contains(mark)).map(|(number, _)| number).collect()
}

impl Expected {
    fn read(text: &str) -> Result<Expected, String> {
        let reason = text.strip_prefix("unknown(").and_then(|rest| rest.strip_suffix(')'));
        match (text, reason) {
            ("safe", _) => Ok(Expected::Safe),
            ("unsafe", _) => Ok(Expected::Unsafe),
            (_, Some(reason)) => Ok(Expected::Unknown(reason.to_owned())),
            _ => Err(format!("`{text}` is not safe, unsafe or unknown(REASON)")),
        }
    }

    /// What is stated of an answer.
    pub fn of(answer: &Answer) -> Expected {
        match answer {
            Answer::Safe => Expected::Safe,
            Answer::Unsafe { .. } => Expected::Unsafe,
            Answer::Unknown { stop } => Expected::Unknown(stop.kind().to_owned()),
        }
    }

    /// The reason of `unknown` is the kind of the stop, or words that its message has.
    pub fn admits(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Expected::Safe, Answer::Safe) | (Expected::Unsafe, Answer::Unsafe { .. }) => true,
            (Expected::Unknown(words), Answer::Unknown { stop }) => {
                stop.kind() == words
                    || stop.to_string().to_lowercase().contains(&words.to_lowercase())
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
