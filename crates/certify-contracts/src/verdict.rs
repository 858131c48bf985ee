//! What a check comes to.

use std::fmt;
use std::time::Duration;

use selvedge_ir::{Program, Property, Span};
use selvedge_smt::Reason;

/// The certificate proves what it claims.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub properties: Vec<Property>,
    /// What was made from the program and its specification, and holds.
    pub obligations: usize,
    /// What the solver was asked, with the paths that it excluded.
    pub asked: usize,
    /// What the second solver was asked, and what of that it left open.
    pub asked_again: usize,
    pub open: usize,
    pub time: Duration,
    /// What is believed beside the program, one sentence each.
    pub assumptions: Vec<String>,
}

/// The certificate does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It has no meaning.
    Malformed(String),
    OtherProgram,
    /// Its program has no checks of a property that it claims.
    Unchecked(Property),
    /// Something that the checker does not understand, and where.
    NotUnderstood {
        what: String,
        place: String,
    },
    /// An obligation does not hold, or does not follow.
    Fails {
        obligation: String,
        place: String,
    },
    /// The solvers contradict each other.
    Disagreement {
        obligation: String,
        place: String,
    },
    /// The solver gave up.
    Undecided {
        obligation: String,
        reason: Reason,
    },
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::Malformed(why) => f.write_str(why),
            Rejected::OtherProgram => f.write_str("the certificate is about another program"),
            Rejected::Unchecked(property) => {
                write!(f, "it claims `{property}`, whose checks its program does not have")
            }
            Rejected::NotUnderstood { what, place } => {
                write!(f, "not certified: {what}, {place}")
            }
            Rejected::Fails { obligation, place } => write!(f, "not shown: {obligation}, {place}"),
            Rejected::Disagreement { obligation, place } => {
                write!(f, "the solvers disagree: {obligation}, {place}")
            }
            Rejected::Undecided { obligation, reason } => {
                write!(f, "not decided: {obligation}: {reason}")
            }
        }
    }
}

/// `file.c:12`, or the program's name where there is no place.
pub(crate) fn place(program: &Program, span: Span) -> String {
    match program.files.get(span.file) {
        Some(file) if !span.is_none() => format!("{}:{}", file.name, span.line),
        _ if !span.is_none() => format!("{}:{}", program.name, span.line),
        _ => program.name.clone(),
    }
}
