//! Violations of properties.

use selvedge_ir::{Property, Span};

use crate::value::ThreadId;

/// A property that does not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub property: Property,
    /// For people: `assertion x == 2`, `null pointer dereferenced`.
    pub message: String,
    pub span: Span,
    pub thread: ThreadId,
    /// Of a race: the other access. Of a deadlock: the other threads that wait.
    pub others: Vec<(ThreadId, Span)>,
}

impl Violation {
    pub fn new(property: Property, message: String, span: Span, thread: ThreadId) -> Violation {
        Violation { property, message, span, thread, others: Vec::new() }
    }
}
