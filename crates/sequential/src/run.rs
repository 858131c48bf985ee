//! The limits of a check, and the record of what it did.

use std::time::Duration;

use selvedge_budget::Moment;
use selvedge_exec::Stop;
use selvedge_smt::{Limits, Reason};

use super::horn::Rejected;

/// What a check may use, and the record of what it did.
#[derive(Debug)]
pub struct Run {
    pub limits: Limits,
    /// The solver's memory limit in bytes, for messages.
    pub memory: u64,
    pub started: Moment,
    pub rounds: Vec<Round>,
    /// Given invariants that do not hold or are not shown to hold.
    pub rejected: Vec<Rejected>,
}

/// One bound tried.
#[derive(Clone, Debug)]
pub struct Round {
    pub unwind: u32,
    /// Copies of locations, and terms made.
    pub copies: usize,
    pub terms: usize,
    pub unrolling: Duration,
    pub solving: Duration,
}

impl Run {
    pub fn new(limits: Limits) -> Run {
        let started = limits.clock.now();
        Run { limits, memory: 0, started, rounds: Vec::new(), rejected: Vec::new() }
    }

    pub(super) fn out_of_time(&self) -> Stop {
        let end = self.limits.deadline.unwrap_or_else(|| self.limits.clock.now());
        Stop::Time { limit: self.limits.time.unwrap_or_else(|| end.since(self.started)) }
    }

    /// A solver's "unknown" as a reason to stop.
    pub(super) fn stop(&self, reason: Reason) -> Stop {
        match reason {
            Reason::Time => self.out_of_time(),
            Reason::Interrupted => Stop::Interrupted,
            Reason::Memory => Stop::Memory { limit_bytes: self.memory },
            other => Stop::Solver { reason: other.to_string() },
        }
    }
}
