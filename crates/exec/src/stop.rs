//! Why there is no verdict.

use std::fmt;
use std::time::Duration;

use selvedge_ir::{Property, Span};
use serde::{Deserialize, Serialize};

/// No verdict, and the reason as a value. There is no way from here to SAFE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Stop {
    Time {
        limit: Duration,
    },
    Memory {
        limit_bytes: u64,
    },
    /// The budget of work is used up.
    Work {
        limit: u64,
    },
    /// The user does not want to wait any longer.
    Interrupted,
    /// Nothing goes wrong within a bound: "no violation within 2 contexts".
    Bound {
        what: String,
        /// Whether the engine would try a larger bound if it had more time.
        grows: bool,
        /// Whether some executions were followed only up to something undefined or unsupported.
        #[serde(default)]
        partial: bool,
    },
    /// The engine does not check this property.
    Property {
        engine: String,
        property: Property,
    },
    /// The engine does not have this option: "integers without bounds".
    Option {
        engine: String,
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
        #[serde(with = "decimal")]
        values: u128,
        limit: u64,
        input: Span,
        used: Span,
    },
    /// A thread does not come to a point where another can run.
    ActionLimit {
        limit: u64,
        span: Span,
    },
    /// Calls nested too deep.
    CallDepth {
        limit: u32,
        span: Span,
    },
    /// The program is too large for the method: "more than 1000000 edges after inlining".
    TooLarge {
        what: String,
    },
    /// The solver has no answer to a question that it had time for.
    Solver {
        reason: String,
    },
    /// Nothing excludes a spurious counterexample, or no proof of the wanted form exists.
    Refinement {
        what: String,
    },
    /// A proof was found, and the checker does not accept its certificate.
    NotCertified {
        why: String,
    },
    /// An annotation that the engine uses is wrong. This is a mistake in the input.
    Annotation {
        message: String,
        span: Span,
    },
    /// An abstract thread does not stand for its threads, or the abstract threads go wrong where the
    /// program is not known to.
    Conformance {
        what: String,
        span: Span,
    },
    /// A trace was found but does not replay: a defect of Selvedge.
    Unconfirmed {
        what: String,
    },
    /// Another defect of Selvedge.
    Defect {
        what: String,
    },
}

impl Stop {
    /// A bound that does not grow with time.
    pub fn bound(what: impl Into<String>) -> Stop {
        Stop::Bound { what: what.into(), grows: false, partial: false }
    }

    /// One word for the kind of reason, the same as in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Stop::Time { .. } => "time",
            Stop::Memory { .. } => "memory",
            Stop::Work { .. } => "work",
            Stop::Interrupted => "interrupted",
            Stop::Bound { .. } => "bound",
            Stop::Property { .. } => "property",
            Stop::Option { .. } => "option",
            Stop::Unsupported { .. } => "unsupported",
            Stop::Undefined { .. } => "undefined",
            Stop::InputTooLarge { .. } => "input_too_large",
            Stop::ActionLimit { .. } => "action_limit",
            Stop::CallDepth { .. } => "call_depth",
            Stop::TooLarge { .. } => "too_large",
            Stop::Solver { .. } => "solver",
            Stop::Refinement { .. } => "refinement",
            Stop::NotCertified { .. } => "not_certified",
            Stop::Annotation { .. } => "annotation",
            Stop::Conformance { .. } => "conformance",
            Stop::Unconfirmed { .. } => "unconfirmed",
            Stop::Defect { .. } => "defect",
        }
    }

    /// The place in the source that it is about, if it is about one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Stop::Unsupported { span, .. }
            | Stop::Undefined { span, .. }
            | Stop::InputTooLarge { used: span, .. }
            | Stop::ActionLimit { span, .. }
            | Stop::CallDepth { span, .. }
            | Stop::Conformance { span, .. }
            | Stop::Annotation { span, .. } => Some(*span).filter(|s| !s.is_none()),
            _ => None,
        }
    }

    /// Whether the same engine may come further in more time.
    pub fn wants_time(&self) -> bool {
        matches!(self, Stop::Time { .. } | Stop::Work { .. } | Stop::Bound { grows: true, .. })
    }

    /// Whether it says that Selvedge has a defect.
    pub fn is_defect(&self) -> bool {
        matches!(self, Stop::Unconfirmed { .. } | Stop::Defect { .. })
    }

    /// Whether it says what an execution comes to, rather than what the engine could not do.
    pub fn is_about_execution(&self) -> bool {
        matches!(self, Stop::Unsupported { .. } | Stop::Undefined { .. })
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
            Stop::Work { limit } => write!(f, "work limit of {limit} units reached"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Bound { what, .. } => write!(f, "bound reached: {what}"),
            Stop::Property { engine, property } => {
                write!(f, "engine {engine} does not support `{property}`")
            }
            Stop::Option { engine, what } => write!(f, "engine {engine} does not support {what}"),
            Stop::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Stop::Undefined { what, .. } => write!(f, "undefined behaviour: {what}"),
            Stop::InputTooLarge { values, limit, input, .. } => {
                write!(f, "an input ")?;
                if !input.is_none() {
                    write!(f, "(line {}) ", input.line)?;
                }
                write!(f, "has {values} values, too many to try each (limit {limit})")
            }
            Stop::ActionLimit { limit, .. } => {
                write!(f, "more than {limit} actions before another thread can run")
            }
            Stop::CallDepth { limit, .. } => write!(f, "more than {limit} nested calls"),
            Stop::TooLarge { what } => write!(f, "program too large: {what}"),
            Stop::Solver { reason } => write!(f, "the solver has no answer: {reason}"),
            Stop::Refinement { what } => write!(f, "refinement is stuck: {what}"),
            Stop::NotCertified { why } => write!(f, "the checker rejects the proof found: {why}"),
            Stop::Annotation { message, .. } => write!(f, "wrong annotation: {message}"),
            Stop::Conformance { what, .. } => f.write_str(what),
            Stop::Unconfirmed { what } => {
                write!(f, "the trace found does not replay ({what}); this is a defect of Selvedge")
            }
            Stop::Defect { what } => write!(f, "{what}; this is a defect of Selvedge"),
        }
    }
}

impl std::error::Error for Stop {}

/// JSON has no numbers of 128 bits that every reader keeps.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&number.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_survives_json() {
        let text = || "why".to_owned();
        let span = Span::new(selvedge_ir::FileId::from_u32(0), 3, 4);
        let all = [
            Stop::Time { limit: Duration::from_millis(1500) },
            Stop::Memory { limit_bytes: 1 << 30 },
            Stop::Work { limit: 7 },
            Stop::Interrupted,
            Stop::Bound { what: text(), grows: true, partial: true },
            Stop::Property { engine: text(), property: Property::Race },
            Stop::Option { engine: text(), what: text() },
            Stop::Unsupported { what: text(), span },
            Stop::Undefined { what: text(), span },
            Stop::InputTooLarge { values: u128::MAX, limit: 256, input: span, used: span },
            Stop::ActionLimit { limit: 5, span },
            Stop::CallDepth { limit: 5, span },
            Stop::TooLarge { what: text() },
            Stop::Solver { reason: text() },
            Stop::Refinement { what: text() },
            Stop::NotCertified { why: text() },
            Stop::Annotation { message: text(), span },
            Stop::Conformance { what: text(), span },
            Stop::Unconfirmed { what: text() },
            Stop::Defect { what: text() },
        ];
        for stop in all {
            let json = serde_json::to_string(&stop).expect("plain data");
            assert_eq!(serde_json::from_str::<Stop>(&json).expect(&json), stop);
            assert!(json.contains(&format!("\"kind\":\"{}\"", stop.kind())), "{json}");
        }
    }
}
