//! `contexts`: real bugs of programs with threads and a heap, within a bound on context switches.
//!
//! Lahiri, Qadeer, Rakamarić, "Static and Precise Detection of Concurrency Errors in Systems Code
//! Using SMT Solvers" (STORM). Every execution in which each thread runs in at most K contexts is an
//! execution of a sequential program ([`sequentialize`], §2.2 there), which the sequential back end
//! decides for a bound on loops. An execution that goes wrong is turned back into an interleaving and
//! replayed ([`interleave`]). The bounds grow, because most bugs need few contexts.
//!
//! Symbols: K contexts a thread; k the current context; G@i the content of region G in context i.
//!
//! Where we differ from the paper: threads are started and joined by the program (the paper has a
//! fixed number after an `Init`); an access selects among the copies without branches; scheduling
//! points stand only where reduction leaves an interleaving that matters ([`points`]); what threads
//! know of each other's start and end needs no copies.
//!
//! UNSAFE is said only with a trace that has been replayed on the program as it was given. SAFE is
//! never said: the answer without a bug names the bounds that were covered.

mod code;
mod flatten;
mod grow;
pub mod interleave;
mod memory;
mod points;
pub mod sequentialize;
mod sharing;
mod slots;
#[cfg(test)]
mod tests;
mod thread;

use std::fmt;
use std::time::{Duration, Instant};

use selvedge_exec::{Stop, Verdict};
use selvedge_ir::{Program, Property};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::{Dump, Limits};

use crate::sequential::{self, Answer, Path};
use grow::Growth;
use interleave::interleave;
use sequentialize::{Plan, Sequentialized, sequentialize};

/// A loop whose rounds are counted with constants costs little more than straight code, so it may
/// go on longer than others, by this factor.
const COUNTED: u32 = 8;

/// What executions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Contexts of each thread.
    pub contexts: u32,
    /// How often a loop is passed, and how deep a procedure calls itself.
    pub unwind: u32,
    /// Threads that a spawn in a loop, or any number of initial threads, stands for.
    pub threads: u32,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    /// Without a number, it grows; likewise `unwind` and `threads`.
    pub contexts: Option<u32>,
    pub unwind: Option<u32>,
    pub threads: Option<u32>,
    pub time: Option<Duration>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Where the solver's questions go as text.
    pub dump: Option<Dump>,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            contexts: None,
            unwind: None,
            threads: None,
            time: None,
            reduce: true,
            dump: None,
        }
    }
}

/// One choice of bounds, and what came of it.
#[derive(Clone, Debug)]
pub struct Round {
    pub bounds: Bounds,
    /// Thread slots and scheduling points of the sequential program.
    pub threads: u32,
    pub points: usize,
    pub result: Covered,
    pub size: Size,
    pub time: Duration,
}

/// How large the solver's question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Copies of locations, after unrolling.
    pub copies: usize,
    pub terms: usize,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { contexts, unwind, .. } = self.bounds;
        let result = match self.result {
            Covered::Violation => "violation",
            Covered::AllLoops => "nothing, for any number of passes",
            Covered::Loops => "nothing",
            Covered::Nothing => "no answer in time",
        };
        write!(
            f,
            "contexts {contexts}, unwind {unwind}, threads {}, points {}, terms {}: {result} \
             ({:.2} s)",
            self.threads,
            self.points,
            self.size.terms,
            self.time.as_secs_f64()
        )
    }
}

/// What a round has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// A violation.
    Violation,
    /// No execution within the contexts goes wrong, however often its loops are passed.
    AllLoops,
    /// None within the bound on loops.
    Loops,
    /// The time for the round was over.
    Nothing,
}

/// Looks for a violation, with growing bounds.
pub fn verify(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Round),
) -> Result<Verdict, Stop> {
    let search = Search::new(program, options);
    let mut growth = Growth::new(options);
    while let Some((bounds, limits)) = growth.next(search.remaining()) {
        let round_started = Instant::now();
        let Sequentialized { sequential, threads, points, cut } = search.sequentialize(bounds);
        let (found, size) = search.check(&sequential, bounds, limits)?;
        let result = found.covered();
        let time = round_started.elapsed();
        progress(&Round { bounds, threads, points, result, size, time });
        if let Found::Path(path) = found {
            return search.confirm(bounds, &sequential, &path);
        }
        growth.learn(bounds, result, cut, threads);
    }
    Err(growth.stop(options))
}

/// The sequential program of a program, as the analysis would see it.
pub fn dump(program: &Program, options: &Options) -> String {
    let search = Search::new(program, options);
    let bounds = Growth::new(options).first();
    search.sequentialize(bounds).sequential.listing()
}

struct Search<'a> {
    program: &'a Program,
    options: &'a Options,
    prepared: Prepared,
    started: Instant,
}

enum Found {
    Path(Path),
    None(Covered),
}

impl Found {
    fn covered(&self) -> Covered {
        match self {
            Found::Path(_) => Covered::Violation,
            Found::None(covered) => *covered,
        }
    }
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, options: &'a Options) -> Search<'a> {
        let started = Instant::now();
        let passes = selvedge_passes::Options {
            properties: options.properties.clone(),
            reduce: options.reduce,
            ..selvedge_passes::Options::default()
        };
        Search { program, options, prepared: prepare(program, &passes), started }
    }

    fn remaining(&self) -> Option<Duration> {
        self.options.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    fn sequentialize(&self, bounds: Bounds) -> Sequentialized {
        let plan = Plan { bounds, properties: &self.options.properties, tracked: None };
        sequentialize(&self.prepared, &plan)
    }

    /// Asks the sequential back end.
    fn check(
        &self,
        program: &sequential::SequentialProgram,
        bounds: Bounds,
        limits: Limits,
    ) -> Result<(Found, Size), Stop> {
        let mut run = sequential::Run::new(limits);
        run.limits.dump.clone_from(&self.options.dump);
        let options = sequential::Options {
            counted: Some(COUNTED.saturating_mul(bounds.unwind).max(1)),
            ..sequential::Options::unwind(bounds.unwind)
        };
        let found = match sequential::check(program, &options, &mut run) {
            Ok(Answer::Wrong(path)) => Found::Path(path),
            Ok(Answer::Correct(_)) => Found::None(Covered::AllLoops),
            Ok(Answer::Bounded(_)) => Found::None(Covered::Loops),
            Err(Stop::Time { .. }) => Found::None(Covered::Nothing),
            Err(stop) => return Err(stop),
        };
        let last = run.rounds.last();
        let size = last.map_or(Size::default(), |r| Size { copies: r.copies, terms: r.terms });
        Ok((found, size))
    }

    /// UNSAFE, if the execution goes wrong on the program as it was given.
    fn confirm(
        &self,
        bounds: Bounds,
        sequential: &sequential::SequentialProgram,
        path: &Path,
    ) -> Result<Verdict, Stop> {
        let options = selvedge_exec::Options {
            any_threads: Some(bounds.threads),
            ..selvedge_exec::Options::new(&self.options.properties)
        };
        let trace = interleave(self.program, &self.prepared, &options, sequential, path);
        match trace {
            Ok(trace) => Ok(Verdict::Unsafe(Box::new(trace))),
            Err(what) => Err(Stop::Unconfirmed { what }),
        }
    }
}
