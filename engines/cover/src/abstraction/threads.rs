//! Threads in a question: those that are looked at, and everything at one moment.

use selvedge_smt::Term;
use selvedge_system::{At, TemplateId};

use super::thread::Thread;

/// Everything at one moment: the threads looked at come first.
pub struct Snapshot {
    pub threads: Vec<Thread>,
    pub shared: Vec<Term>,
}

/// Where a thread that is looked at stands, before and after.
#[derive(Clone, Copy, Debug)]
pub struct Looked {
    pub template: TemplateId,
    pub before: At,
    pub after: At,
}
