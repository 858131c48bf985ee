//! Pairs of accesses that may race, each with what became of it.

use selvedge_exec::Stop;
use selvedge_ir::Span;

use crate::evidence::Counterexample;

/// Two accesses to the same memory, one of them to write.
#[derive(Clone, Debug)]
pub struct RacePair {
    pub first: Span,
    pub second: Span,
    /// For people.
    pub memory: String,
    pub result: RaceResult,
}

#[derive(Clone, Debug)]
pub enum RaceResult {
    Race(Box<Counterexample>),
    /// The engine has excluded it. That is certified only if the whole program is SAFE.
    Excluded,
    /// The engine came to its end before it could tell.
    Open(Stop),
    /// Another violation was found first.
    Unexamined,
}
