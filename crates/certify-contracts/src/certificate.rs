//! The data of a certificate.

use selvedge_ir::spec::Clause;
use selvedge_ir::{Program, Property, text};
use serde::{Deserialize, Serialize};

/// What the file says it is.
pub const FORMAT: &str = "selvedge contracts";

/// Of the format; others are refused.
pub const VERSION: u32 = 1;

/// Why a program keeps its specification, as far as the program does not say so itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`FORMAT`].
    pub format: String,
    pub version: u32,
    /// The lowered program with its specification, as Plato text.
    pub program: String,
    /// The names of the properties that are claimed.
    pub properties: Vec<String>,
    /// Invariants beside those of the specification. They have to be shown like these.
    pub invariants: Vec<Clause>,
    pub loops: Vec<LoopFacts>,
}

/// What holds whenever the head of a loop is reached, before others run there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopFacts {
    /// By name.
    pub procedure: String,
    /// The location, in the program whose calls of procedures without a contract are inlined.
    pub head: u32,
    pub facts: Vec<Fact>,
}

/// A fact about the state at a head. Formulas are SMT-LIB terms without quantifiers over the names in
/// [`crate::names`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fact {
    Formula(String),
    /// This clause of what the procedure requires.
    Requires(u32),
    /// So many actions of the procedure's contract may be done, where the formula holds.
    Done {
        actions: u32,
        when: String,
    },
}

/// Whether a text is a certificate of this kind, good or bad.
pub fn is_one(text: &str) -> bool {
    let format = |value: serde_json::Value| value["format"] == FORMAT;
    serde_json::from_str(text).is_ok_and(format)
}

impl Certificate {
    pub fn new(
        program: &Program,
        properties: &[Property],
        invariants: Vec<Clause>,
        loops: Vec<LoopFacts>,
    ) -> Certificate {
        Certificate {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: text::print(program),
            properties: properties.iter().map(|property| property.name().to_owned()).collect(),
            invariants,
            loops,
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a certificate has only plain data")
    }

    pub fn from_json(text: &str) -> Result<Certificate, String> {
        let certificate: Certificate =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        match certificate.version {
            VERSION => Ok(certificate),
            other => Err(format!("version {other}, but this version reads version {VERSION}")),
        }
    }
}
