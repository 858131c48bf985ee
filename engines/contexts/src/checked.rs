//! One round, as the growth of the bounds and as people see it.

use selvedge_ir::Program;
use selvedge_sequential::{Beyond, CheckResult};
use selvedge_verdict::{Round, RoundResult};

use super::bounds::{Bounds, Coverage};
use super::fields::Fields;
use super::growth::Explored;
use super::sequentialize::Sequentialized;
use super::slice::Concrete;

/// What the sequential back end says about a sequential program.
#[derive(Debug)]
pub struct Checked {
    /// None if the time of the round was over before.
    pub result: Option<CheckResult>,
    /// Copies of locations after unrolling, and terms of the solver's question.
    pub copies: usize,
    pub terms: usize,
}

impl Checked {
    /// What the round covers, if it has no violation.
    pub fn coverage(&self) -> Coverage {
        match &self.result {
            None | Some(CheckResult::Wrong(_)) => Coverage::OutOfTime,
            Some(CheckResult::Correct(_)) => Coverage::AllLoops,
            Some(CheckResult::Bounded(b)) if b.ways().any(|way| way == Beyond::Size) => {
                Coverage::TooLarge
            }
            Some(CheckResult::Bounded(_)) => Coverage::Loops,
        }
    }

    pub fn explored(&self, sequentialized: &Sequentialized) -> Explored {
        let Sequentialized { cut, threads, .. } = *sequentialized;
        Explored { coverage: self.coverage(), cut, threads }
    }

    /// The record of the round. `concrete` is what its violation turned out to be.
    pub fn round(
        &self,
        concrete: Option<&Concrete>,
        bounds: Bounds,
        sequentialized: &Sequentialized,
        seconds: f64,
    ) -> Round {
        let result = match concrete {
            Some(Concrete::Real(_)) => RoundResult::Violation,
            Some(Concrete::Spurious(_)) => {
                RoundResult::Spurious { why: "it depends on fields that are not tracked".into() }
            }
            Some(Concrete::Undecided) => RoundResult::OutOfTime,
            None => match self.coverage() {
                Coverage::AllLoops => RoundResult::Nothing { any_passes: true },
                Coverage::Loops => RoundResult::Nothing { any_passes: false },
                Coverage::OutOfTime => RoundResult::OutOfTime,
                Coverage::TooLarge => RoundResult::TooLarge,
            },
        };
        Round::new(result, seconds)
            .count("contexts", bounds.contexts.into())
            .count("unwind", bounds.unwind.into())
            .count("threads", sequentialized.threads.into())
            .count("points", sequentialized.points as u64)
            .count("terms", self.terms as u64)
            .count("copies", self.copies as u64)
    }
}

/// The record of a round whose sequential program would be too large.
pub fn too_large(bounds: Bounds, seconds: f64) -> Round {
    Round::new(RoundResult::TooLarge, seconds)
        .count("contexts", bounds.contexts.into())
        .count("unwind", bounds.unwind.into())
}

/// Adds the fields of the program, and those that are tracked if not all are.
pub fn with_fields(round: Round, fields: &Fields, program: &Program) -> Round {
    let round = round.count("fields", program.regions.len() as u64);
    match fields.names(program) {
        Some(names) => round.names("tracked", names),
        None => round,
    }
}
