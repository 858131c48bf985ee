//! Why nothing can be made of a program and its abstract threads.

use std::fmt;

use selvedge_ir::Span;
use selvedge_passes::Unprepared;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The specification is wrong or says what abstract threads cannot say: a mistake in the input.
    Annotation { message: String, span: Span },
    /// The program does something at a place that the method does not cover.
    Unsupported { what: String, span: Span },
    /// It could not be prepared within the limits.
    Unprepared(Unprepared),
}

impl Refused {
    pub(crate) fn annotation(message: impl Into<String>, span: Span) -> Refused {
        Refused::Annotation { message: message.into(), span }
    }

    pub(crate) fn unsupported(what: impl Into<String>, span: Span) -> Refused {
        Refused::Unsupported { what: what.into(), span }
    }
}

impl From<Unprepared> for Refused {
    fn from(why: Unprepared) -> Refused {
        Refused::Unprepared(why)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Annotation { message, .. } => f.write_str(message),
            Refused::Unsupported { what, .. } => f.write_str(what),
            Refused::Unprepared(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}
