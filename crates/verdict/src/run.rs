//! One run of an engine: its budget, and who hears of its rounds.

use std::time::Duration;

use selvedge_budget::{Budget, Clock, Moment};
use selvedge_exec::Stop;
use selvedge_ir::Program;
use selvedge_passes::{Prepared, Unprepared};
use selvedge_smt::{Dump, Limits};

use crate::races::RacePair;
use crate::round::Round;

/// What an engine tells while it works.
#[derive(Clone, Debug)]
pub enum Event {
    Round(Round),
    /// How far it is, in a few words.
    Progress(String),
}

/// The budget of one run, and what it leaves beside its verdict.
pub struct Run<'a> {
    budget: Budget,
    clock: Clock,
    end: Option<Moment>,
    tell: Box<dyn FnMut(Event) + 'a>,
    /// Of an engine that looks at each pair of accesses.
    pub races: Vec<RacePair>,
}

impl<'a> Run<'a> {
    /// Its clock starts now.
    pub fn new(budget: Budget, tell: impl FnMut(Event) + 'a) -> Run<'a> {
        let (clock, end, tell) = (budget.clock(), budget.end(), Box::new(tell));
        Run { budget, clock, end, tell, races: Vec::new() }
    }

    /// Nobody listens.
    pub fn silent(budget: Budget) -> Run<'a> {
        Run::new(budget, |_| {})
    }

    /// A part of the run, on the same clock: it may use this share of what is left. Nobody listens.
    pub fn part(&self, share: f64) -> Run<'static> {
        let left = self.remaining().map(|left| left.mul_f64(share.clamp(0.0, 1.0)));
        Run {
            budget: self.budget,
            clock: self.clock.clone(),
            end: left.map(|left| self.clock.now() + left),
            tell: Box::new(|_| {}),
            races: Vec::new(),
        }
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// When the budget of time or work is used up.
    pub fn end(&self) -> Option<Moment> {
        self.end
    }

    pub fn round(&mut self, round: Round) {
        (self.tell)(Event::Round(round));
    }

    pub fn progress(&mut self, text: String) {
        (self.tell)(Event::Progress(text));
    }

    pub fn elapsed(&self) -> Duration {
        self.clock.now().since(Moment::START)
    }

    /// What is left of time or work; none where there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.end.map(|end| self.clock.left(end))
    }

    /// The reason to stop now, if there is one.
    pub fn exceeded(&self) -> Option<Stop> {
        self.end.filter(|end| self.clock.now() >= *end).map(|_| self.out_of_budget())
    }

    pub fn check(&self) -> Result<(), Stop> {
        self.exceeded().map_or(Ok(()), Err)
    }

    /// How an engine says that its time or its work is used up.
    pub fn out_of_budget(&self) -> Stop {
        match self.budget.work {
            Some(limit) => Stop::Work { limit },
            None => Stop::Time { limit: self.budget.time.unwrap_or_default() },
        }
    }

    /// Prepares a program for an engine, within what is left.
    pub fn prepare(
        &self,
        program: &Program,
        passes: &selvedge_passes::Options,
    ) -> Result<Prepared, Stop> {
        self.analyse(|limits| selvedge_passes::prepare_within(program, passes, limits))
    }

    /// An analysis of a program, within what is left.
    pub fn analyse<R>(
        &self,
        analysis: impl FnOnce(&selvedge_passes::Limits) -> Result<R, Unprepared>,
    ) -> Result<R, Stop> {
        self.check()?;
        let limits = selvedge_passes::Limits::until(&self.clock, self.end);
        analysis(&limits).map_err(|why| match why {
            Unprepared::OutOfBudget => self.out_of_budget(),
            Unprepared::TooLarge { what } => Stop::TooLarge { what },
        })
    }

    /// Limits for the solver: until the end of the run.
    pub fn limits(&self, queries: Option<&Dump>) -> Limits {
        Limits {
            clock: self.clock.clone(),
            deadline: self.end,
            dump: queries.cloned(),
            ..Limits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_run_ends_earlier_on_the_same_clock() {
        let run = Run::silent(Budget::work(10));
        let part = run.part(0.5);
        part.clock().spend(5);
        assert_eq!(part.check(), Err(Stop::Work { limit: 10 }));
        assert_eq!(run.check(), Ok(()));
    }

    #[test]
    fn work_that_is_used_up_is_a_reason_to_stop() {
        let run = Run::silent(Budget::work(10));
        assert_eq!(run.check(), Ok(()));
        run.clock().spend(10);
        assert_eq!(run.check(), Err(Stop::Work { limit: 10 }));
    }
}
