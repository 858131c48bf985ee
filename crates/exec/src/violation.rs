//! Violations of properties.

use selvedge_ir::{Property, Span};

use crate::fault::Fault;
use crate::value::ThreadId;

/// A property that does not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub fault: Fault,
    pub span: Span,
    pub thread: ThreadId,
    /// Of a race: the other access. Of a deadlock: the other threads that wait.
    pub others: Vec<(ThreadId, Span)>,
}

impl Violation {
    pub fn new(fault: Fault, span: Span, thread: ThreadId) -> Violation {
        Violation { fault, span, thread, others: Vec::new() }
    }

    pub fn property(&self) -> Property {
        self.fault.property()
    }
}
