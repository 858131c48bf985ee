//! A program with its abstract threads, within a run.

use selvedge_abstract_threads::{Refused, Subject};
use selvedge_exec::Stop;
use selvedge_ir::Program;
use selvedge_passes::{Limits, Unprepared};

use crate::division::stopped;
use crate::run::Run;

impl Run<'_> {
    /// A program with its abstract threads, within what is left.
    pub fn subject(&self, program: &Program) -> Result<Subject, Stop> {
        self.check()?;
        let limits = Limits::until(self.clock(), self.end());
        Subject::of(program, &limits).map_err(|refused| match refused {
            Refused::Unprepared(Unprepared::OutOfBudget) => self.out_of_budget(),
            other => stopped(other),
        })
    }
}
