//! What is known of a sequential program.

use selvedge_ir::{LocalId, Span};

use super::horn::Certificate;
use super::program::{Path, SequentialProgram};
use super::unroll::Why;

/// What a check comes to.
#[derive(Clone, Debug)]
pub enum CheckResult {
    /// No execution is bad.
    Correct(Proof),
    /// No execution within the bound is bad.
    Bounded(Bounded),
    /// This execution is bad.
    Wrong(Path),
}

#[derive(Clone, Debug)]
pub struct Proof {
    pub by: Argument,
    /// The assumptions that it needs.
    pub needs: Vec<LocalId>,
}

/// Why a program is correct.
#[derive(Clone, Debug)]
pub enum Argument {
    /// No execution exceeds this bound.
    Unwind(u32),
    /// Loops have invariants.
    Invariants(Certificate),
}

impl Proof {
    /// A proof by invariants takes all assumptions to be true.
    pub(super) fn by_invariants(program: &SequentialProgram, certificate: Certificate) -> Proof {
        Proof { by: Argument::Invariants(certificate), needs: program.assumptions.clone() }
    }
}

#[derive(Clone, Debug)]
pub struct Bounded {
    pub unwind: u32,
    /// How an execution can leave the bound; a loop that goes on comes first.
    pub beyond: Beyond,
    /// Other ways to leave it.
    pub also: Vec<Beyond>,
    /// The assumptions that the result needs.
    pub needs: Vec<LocalId>,
}

impl Bounded {
    /// All ways to leave the bound.
    pub fn ways(&self) -> impl Iterator<Item = Beyond> + '_ {
        [self.beyond].into_iter().chain(self.also.iter().copied())
    }
}

/// How an execution can leave what is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// A loop goes on; a larger bound covers more.
    Unwind,
    /// The program is too large at this bound.
    Size,
    /// An access to memory or an operation is undefined, and that is not checked.
    Undefined(Span),
    /// An action is not supported.
    Unsupported(Span),
    /// An action is not supported, and it is not known whether an execution reaches it.
    Perhaps(Span),
}

impl From<Why> for Beyond {
    fn from(why: Why) -> Beyond {
        match why {
            Why::Unwind => Beyond::Unwind,
            Why::Size => Beyond::Size,
            Why::Undefined(span) => Beyond::Undefined(span),
            Why::Unsupported(span) => Beyond::Unsupported(span),
            Why::Perhaps(span) => Beyond::Perhaps(span),
        }
    }
}
