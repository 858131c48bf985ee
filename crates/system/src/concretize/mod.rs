//! From steps of a system of threads to an execution of the program.
//!
//! A sequence of moves, each a step of a named thread, has a formula in single-assignment form
//! ([`Run`]): it is satisfiable if and only if the moves can happen one after the other from the
//! beginning. A model of it gives the inputs; with these the edges of the moves are taken one by one
//! on the concrete semantics ([`selvedge_exec::edges`]), which gives a schedule of visible actions for
//! the program as it was lowered. A violation counts only if it occurs there.
//!
//! [`search`] finds the order of the moves where only the path of each thread is known; [`switches`]
//! finds the moves as well.
//!
//! Work: making or trying a move counts 20 units, besides the solver's own.

pub mod follow;
mod run;
pub mod search;
pub mod switches;
#[cfg(test)]
mod tests;
mod world;

use std::fmt;

use selvedge_exec::Trace;
use selvedge_ir::Program;
use selvedge_passes::Prepared;
use selvedge_smt::{Answer, Limits, Logic, Model, Reason, Solver};

use crate::{System, TemplateId};
pub use run::{Point, Run, Stand};
use selvedge_exec::edges::Event;

/// Units of work for a move: its formula is over copies of all variables.
const MOVE: u64 = 20;

/// A thread of an execution: an instance (number 0), or a thread of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    pub template: TemplateId,
    pub number: u32,
}

/// A thread takes a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub thread: Name,
    /// A position in the steps of its template.
    pub step: usize,
    /// The threads that it starts, one for each of the step's spawns.
    pub starts: Vec<Name>,
}

/// Whether a sequence of moves can happen.
#[derive(Clone, Debug)]
pub enum Feasibility {
    /// It can happen, with these values.
    Possible(Model),
    /// It cannot: these moves (by position) are infeasible together.
    Impossible(Vec<usize>),
    Unknown(Reason),
}

impl Name {
    pub fn instance(template: TemplateId) -> Name {
        Name { template, number: 0 }
    }
}

/// Whether the moves can happen.
pub fn check(system: &System, run: &Run, limits: &Limits) -> Feasibility {
    limits.clock.spend(MOVE * run.moves.len() as u64);
    let mut solver = Solver::new(Logic::All, limits.clone());
    solver.assert(&system.terms, run.beginning);
    match solver.check(&system.terms, &run.parts) {
        Answer::Sat(model) => Feasibility::Possible(model),
        Answer::Unknown(reason) => Feasibility::Unknown(reason),
        Answer::Unsat(core) => {
            let needed = |part| core.0.contains(part);
            let parts = run.parts.iter().enumerate();
            Feasibility::Impossible(
                parts.filter(|(_, part)| needed(part)).map(|(i, _)| i).collect(),
            )
        }
    }
}

/// The trace of moves that can happen and go wrong, or why there is none.
pub fn trace(
    program: &Program,
    prepared: &Prepared,
    options: &selvedge_exec::Options,
    system: &System,
    run: &Run,
    model: &Model,
) -> Result<Trace, String> {
    let threads = follow::Threads::of(&prepared.program, system, run)?;
    let options = selvedge_exec::Options { any_threads: Some(threads.any), ..options.clone() };
    let events = events(system, run, model);
    follow::trace(program, &prepared.program, &options, &threads, &events)
}

/// The edges of the moves, with their inputs.
fn events(system: &System, run: &Run, model: &Model) -> Vec<Event<Name>> {
    let mut events = Vec::new();
    for (position, step) in run.moves.iter().enumerate() {
        let template = &system.templates[step.thread.template.index()];
        let taken = &template.steps[step.step];
        let mut starts = step.starts.iter();
        for (index, &edge) in taken.edges.iter().enumerate() {
            let value = run.input(system, model, position, index as u32);
            let spawned = taken.spawns.iter().filter(|spawn| spawn.edge == index as u32);
            let spawns = spawned.map(|_| starts.next().copied()).next().flatten();
            let procedure = template.procedure;
            events.push(Event { thread: step.thread, procedure, edge, spawns, value });
        }
    }
    events
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}.{}", self.template.0 + 1, self.number)
    }
}
