//! What an answer about covering rests on, and the check that it does.
//!
//! Two kinds: a [`Run`] that covers the target, and a [`Basis`] that shows that nothing does. Their
//! checks are written from the definition of a thread transition system alone. They share no code
//! with the search.

mod above;
mod basis;
mod bound;
mod file;
mod run;

use std::fmt;

use selvedge_smt::{Limits, Reason};

pub use basis::Basis;
pub use bound::Bound;
pub use file::{Certificate, FileError};
pub use run::{Run, Step};

/// Why evidence is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unaccepted {
    /// What it fails to show.
    Wrong(String),
    /// The limits were reached first.
    Unfinished(Reason),
}

impl fmt::Display for Unaccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unaccepted::Wrong(what) => f.write_str(what),
            Unaccepted::Unfinished(reason) => write!(f, "the check is not finished: {reason}"),
        }
    }
}

impl From<String> for Unaccepted {
    fn from(what: String) -> Unaccepted {
        Unaccepted::Wrong(what)
    }
}

/// How often the limits are looked at, in states.
const LIMITS_EVERY: u32 = 1024;

/// Looks at the limits now and then.
struct Watch<'a> {
    limits: &'a Limits,
    states: u32,
}

impl Watch<'_> {
    fn tick(&mut self) -> Result<(), Unaccepted> {
        self.states = self.states.wrapping_add(1);
        if !self.states.is_multiple_of(LIMITS_EVERY) {
            return Ok(());
        }
        self.limits.exceeded().map_or(Ok(()), |reason| Err(Unaccepted::Unfinished(reason)))
    }
}
