//! What is left of a run, for the parts that ask the solver and for those that work long without it.
//!
//! The solver counts its own work. Beside it the engine spends, in units of which a million stand for
//! a second: [`QUESTION`] for each question to the solver (its terms are built and its model is
//! read), [`LOOKUP`] for each passive thread of a move that is looked up among what is known, and
//! [`CASE`] for each formula of a certificate. The coverability search has its own weight,
//! [`PREDECESSOR`](crate::coverability::PREDECESSOR).

use selvedge_smt::{Dump, Limits, Reason};
use selvedge_verdict::{Run, Stop};

/// Units for a question to the solver, beside what the solver spends.
pub const QUESTION: u64 = 50;

/// Units for looking up what a passive thread does.
pub const LOOKUP: u64 = 1;

/// Units for a formula of a certificate.
pub const CASE: u64 = 20;

/// The end of a run, and how to say that it is reached.
#[derive(Clone, Debug)]
pub struct Watch {
    limits: Limits,
    over: Stop,
}

impl Watch {
    pub fn new(run: &Run<'_>, queries: Option<&Dump>) -> Watch {
        Watch { limits: run.limits(queries), over: run.out_of_budget() }
    }

    /// Limits for the solver: until the end of the run.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn spend(&self, units: u64) {
        self.limits.clock.spend(units);
    }

    pub fn check(&self) -> Result<(), Stop> {
        self.limits.exceeded().map_or(Ok(()), |reason| Err(self.stop(&reason)))
    }

    /// What it means that the solver has no answer.
    pub fn stop(&self, reason: &Reason) -> Stop {
        let end = self.limits.deadline;
        match reason {
            Reason::Interrupted => Stop::Interrupted,
            Reason::Time if end.is_some_and(|end| self.limits.clock.now() >= end) => {
                self.over.clone()
            }
            _ => Stop::Solver { reason: reason.to_string() },
        }
    }
}
