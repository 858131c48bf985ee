//! What is asked, and the systems of the program that clauses are made of.

use std::time::Duration;

use selvedge_clauses::frame::Level;
use selvedge_clauses::levels::{Planned, levels};
use selvedge_clauses::linear::Facts;
use selvedge_clauses::load::Load;
use selvedge_clauses::promoted::Promoted;
use selvedge_clauses::rules::Clauses;
use selvedge_clauses::view::View;
use selvedge_ir::Program;
use selvedge_smt::horn::{RuleId, Solution};
use selvedge_smt::translate::Wrap;
use selvedge_smt::{Limits, Terms};
use selvedge_system::{Bad, System};
use selvedge_verdict::{Options, Run, Stop};

use crate::Own;
use crate::attempts::Attempt;
use crate::modular::{Modular, Operation};

/// The time for one question about linear facts.
const FACTS: Duration = Duration::from_secs(2);

/// A program and what is asked about it.
pub struct Task<'a> {
    pub promoted: Promoted<'a>,
    pub options: &'a Options<Own>,
}

impl<'a> Task<'a> {
    pub fn new(
        program: &'a Program,
        options: &'a Options<Own>,
        run: &Run<'_>,
    ) -> Result<Task<'a>, Stop> {
        Ok(Task { promoted: Promoted::new(program, options, run)?, options })
    }

    /// Until the end of the run, with so much time for each question.
    pub fn limits(&self, time: Option<Duration>) -> Limits {
        Limits { time, ..self.promoted.limits().clone() }
    }

    /// The program as a system; some operations wrap around, the others must not.
    pub fn system(&self, modular: Option<&Modular>) -> Result<System, Stop> {
        let others = modular.map_or(Wrap::Obliged, Modular::others);
        self.promoted.system(others, modular.map_or_else(Default::default, Modular::edges))
    }
}

/// A system of the program, ready for clauses.
pub struct Problem {
    pub terms: Terms,
    pub system: System,
    pub view: View,
    pub facts: Facts,
    /// What has been guessed at levels, and holds.
    guessed: Vec<(Level, Solution)>,
    /// Operations of which the last attempt has not shown that they do not wrap around.
    pub wrapping: Vec<Operation>,
    pub load: Load,
}

impl Problem {
    pub fn new(task: &Task<'_>, modular: Option<&Modular>) -> Result<Problem, Stop> {
        let mut system = task.system(modular)?;
        let mut terms = std::mem::take(&mut system.terms);
        let limits = task.limits(Some(FACTS));
        let view = View::of(&mut terms, &system, &limits);
        let facts = Facts::of(&mut terms, &view, &limits);
        Ok(Problem {
            terms,
            system,
            view,
            facts,
            guessed: Vec::new(),
            wrapping: Vec::new(),
            load: Load::of_thread(&limits.clock),
        })
    }

    /// The operations of which queries say that they may wrap around.
    pub fn operations(&self, clauses: &Clauses, queries: &[RuleId]) -> Vec<Operation> {
        let found = queries.iter().filter_map(|&query| clauses.wrapping(&self.view, query));
        let procedure = |template: usize| self.system.templates[template].procedure;
        found.map(|(template, edge, span)| (procedure(template), edge, span)).collect()
    }

    /// What has been guessed at this level.
    pub fn known(&self, level: &Level) -> Option<Solution> {
        let mut known = self.guessed.iter();
        known.find(|(other, _)| other == level).map(|(_, solution)| solution.clone())
    }

    /// Takes note of a guess that holds, instead of an earlier one at this level.
    pub fn learn(&mut self, level: &Level, guess: Solution) {
        self.guessed.retain(|(other, _)| other != level);
        self.guessed.push((level.clone(), guess));
    }

    /// Why there is no verdict although the bad step can happen.
    pub fn unconfirmed(&self, bad: Bad, why: String) -> Stop {
        match bad {
            Bad::Undefined { what, span } => Stop::Undefined { what, span },
            Bad::Unsupported { what, span } => Stop::Unsupported { what, span },
            Bad::Wrong { .. } | Bad::Wrap { .. } => self.system.unconfirmed(why),
        }
    }
}

/// The levels of a system, or only those of so many threads beside the core.
pub fn levels_of(problem: &Problem, only: Option<usize>) -> Vec<Planned> {
    let mut planned = levels(&problem.view, &problem.facts);
    planned.retain(|planned| only.is_none_or(|only| planned.level.others == only));
    planned
}

/// The program's systems by what integer operations do.
pub struct Problems {
    /// No operation may wrap around.
    obliged: Problem,
    /// Some operations wrap around.
    modular: Option<Problem>,
    operations: Modular,
}

impl Problems {
    pub fn new(task: &Task<'_>) -> Result<Problems, Stop> {
        let obliged = Problem::new(task, None)?;
        Ok(Problems { obliged, modular: None, operations: Modular::default() })
    }

    /// The system in which no operation may wrap around.
    pub fn obliged(&self) -> &Problem {
        &self.obliged
    }

    /// The levels to be tried.
    pub fn levels(&self, task: &Task<'_>) -> Vec<Planned> {
        levels_of(&self.obliged, task.options.own.level)
    }

    /// Whether an operation has to be shown not to wrap around.
    pub fn can_wrap(&self) -> bool {
        let mut moves = self.obliged.view.threads.iter().flat_map(|thread| &thread.moves);
        moves.any(|step| matches!(step.to, Err(Bad::Wrap { .. })))
    }

    /// The system for an attempt.
    pub fn of(&mut self, task: &Task<'_>, attempt: &Attempt) -> Result<&mut Problem, Stop> {
        if !attempt.modular {
            return Ok(&mut self.obliged);
        }
        match &mut self.modular {
            Some(problem) => Ok(problem),
            none => Ok(none.insert(Problem::new(task, Some(&self.operations))?)),
        }
    }

    /// Which operations wrap around in an attempt, for people.
    pub fn wrapping(&self, attempt: &Attempt) -> Option<String> {
        attempt.modular.then(|| self.operations.to_string())
    }

    /// Takes over what an attempt has not shown; whether other operations wrap around now.
    pub fn learn(&mut self, attempt: &Attempt) -> bool {
        let problem = if attempt.modular { self.modular.as_mut() } else { Some(&mut self.obliged) };
        let found = problem.map(|problem| std::mem::take(&mut problem.wrapping));
        self.operations.learn(found.unwrap_or_default(), attempt.guess && !attempt.modular)
    }

    /// Forgets the system in which other operations wrap around.
    pub fn renew(&mut self) {
        self.modular = None;
    }
}
