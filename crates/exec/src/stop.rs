//! Why an engine ended without a verdict.

use std::fmt;
use std::time::Duration;

use selvedge_ir::Span;

/// No verdict, and the reason. There is no way from here to SAFE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Time {
        limit: Duration,
    },
    Memory {
        limit_bytes: u64,
    },
    /// A search that was cut short by a bound: "no error within 100 actions a thread".
    Bound {
        what: String,
    },
    /// An action that the front end or the semantics does not cover.
    Unsupported {
        what: String,
        span: Span,
    },
    /// The program does what C leaves undefined, and `memory` is not checked.
    Undefined {
        what: String,
        span: Span,
    },
    /// An input has too many values to try each of them.
    InputTooLarge {
        values: u128,
        limit: u64,
        input: Span,
        used: Span,
    },
    /// A part of the program that runs without interruption does not come to an end.
    ActionLimit {
        limit: u64,
        span: Span,
    },
    /// Calls nested too deep.
    CallDepth {
        limit: u32,
        span: Span,
    },
    /// A trace was found but does not replay: a defect of Selvedge.
    Unconfirmed {
        what: String,
    },
}

impl Stop {
    /// The place in the source that it is about, if it is about one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Stop::Unsupported { span, .. }
            | Stop::Undefined { span, .. }
            | Stop::InputTooLarge { used: span, .. }
            | Stop::ActionLimit { span, .. }
            | Stop::CallDepth { span, .. } => Some(*span).filter(|s| !s.is_none()),
            _ => None,
        }
    }
}

impl fmt::Display for Stop {
    /// One line, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Time { limit } => write!(f, "time limit of {} s reached", limit.as_secs_f64()),
            Stop::Memory { limit_bytes } => {
                write!(f, "memory limit of {} MiB reached", limit_bytes >> 20)
            }
            Stop::Bound { what } => write!(f, "bound reached: {what}"),
            Stop::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Stop::Undefined { what, .. } => write!(f, "undefined behaviour: {what}"),
            Stop::InputTooLarge { values, limit, input, .. } => {
                write!(f, "an input ")?;
                if !input.is_none() {
                    write!(f, "(line {}) ", input.line)?;
                }
                write!(f, "has {values} values, too many to enumerate (limit {limit})")
            }
            Stop::ActionLimit { limit, .. } => {
                write!(f, "more than {limit} actions without interruption")
            }
            Stop::CallDepth { limit, .. } => write!(f, "more than {limit} nested calls"),
            Stop::Unconfirmed { what } => {
                write!(f, "the trace found does not replay ({what}); this is a defect of Selvedge")
            }
        }
    }
}

impl std::error::Error for Stop {}
