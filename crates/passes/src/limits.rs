//! What the passes may use up.
//!
//! Inlining doubles a program at each level of calls, and some analyses are more than linear. So
//! every pass spends work as it goes, about a unit for each edge looked at (a microsecond, more or
//! less), and ends with [`Unprepared`] when the budget is used up.

use std::fmt;

use selvedge_budget::{Clock, Moment};
use selvedge_ir::Procedure;

/// Edges that a program may have after inlining: engines need a few hundred bytes for each, and
/// none of them comes far with so many.
pub const MOST_EDGES: usize = 3_000_000;

/// The budget of a preparation.
#[derive(Clone, Debug)]
pub struct Limits {
    pub clock: Clock,
    /// When the clock has run out.
    pub end: Option<Moment>,
    /// Edges of all procedures together after inlining.
    pub edges: usize,
}

/// Why a program was not prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprepared {
    OutOfBudget,
    /// Beyond a bound: "more than 3000000 edges after inlining".
    TooLarge {
        what: String,
    },
}

impl Limits {
    pub fn none() -> Limits {
        Limits { clock: Clock::wall(), end: None, edges: usize::MAX }
    }

    pub fn until(clock: &Clock, end: Option<Moment>) -> Limits {
        Limits { clock: clock.clone(), end, edges: MOST_EDGES }
    }

    /// So many units of work, the same on every machine.
    pub fn work(units: u64, edges: usize) -> Limits {
        let clock = Clock::counting();
        Limits { end: Some(clock.now() + Clock::time_for(units)), edges, clock }
    }

    /// Takes note of work done, and says whether it may go on.
    pub fn spend(&self, units: usize) -> Result<(), Unprepared> {
        self.clock.spend(units as u64);
        match self.end {
            Some(end) if end <= self.clock.now() => Err(Unprepared::OutOfBudget),
            _ => Ok(()),
        }
    }

    /// Likewise, for going once over a procedure.
    pub(crate) fn spend_on(&self, procedure: &Procedure) -> Result<(), Unprepared> {
        self.spend(procedure.locations.len())
    }
}

/// Work that nothing limits.
pub(crate) fn without_limits<R>(work: impl FnOnce(&Limits) -> Result<R, Unprepared>) -> R {
    work(&Limits::none()).expect("invariant: without limits nothing runs out")
}

impl fmt::Display for Unprepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unprepared::OutOfBudget => f.write_str("the budget was used up in preparation"),
            Unprepared::TooLarge { what } => f.write_str(what),
        }
    }
}

impl std::error::Error for Unprepared {}
