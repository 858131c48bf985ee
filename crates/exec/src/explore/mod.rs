//! Explicit-state search: every interleaving and every input of a program, or a violation.
//!
//! Breadth-first over macro-steps (a thread runs from one interleaving point to its next), so the
//! first violation has the fewest. States are kept as canonical bytes ([`encode`]); a state has a
//! reduced expansion where [`ample`] allows it. When the time given is partly used up without an
//! answer, random walks ([`walk`]) look for a violation deeper down.
//!
//! SAFE is said only when the queue ran empty and nothing was cut: no limit was reached, no input
//! was too large to be tried, and nothing unsupported or undefined can be reached. Then the states
//! kept are all that the program can reach, up to what the reductions identify: `Joined` locations
//! (Lipton, "Reduction", 1975; the pass `reduce`), dead locals, names of objects and threads,
//! persistent sets. UNSAFE is said only with a trace that has been replayed on the program as it
//! was given, without any pass.

mod ample;
mod bytes;
mod confirm;
mod dead;
mod decode;
mod encode;
mod path;
mod queue;
mod search;
mod store;
mod stride;
mod switches;
#[cfg(test)]
mod tests;
mod walk;

pub use switches::fewer_switches;

use std::time::{Duration, Instant};

use selvedge_ir::{Program, Property};
use selvedge_passes::regions::Regions;
use selvedge_passes::{Footprints, Liveness, Prepared, Templates, prepare};

use crate::{Stop, Verdict};

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    pub time: Option<Duration>,
    /// Bytes that the search may use for its states.
    pub memory: Option<u64>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Identify states that differ only in the order of threads.
    pub symmetry: bool,
    /// Let one thread move alone where that shows everything.
    pub por: bool,
    /// How many threads stand for "any number" at the start. The answer is then never SAFE.
    pub any_threads: Option<u32>,
    /// An input that is used other than by comparison is tried value by value up to this many.
    pub enumerate: u64,
    pub max_states: Option<u64>,
    /// In macro-steps.
    pub max_depth: Option<u64>,
    /// Look for violations by random walks, too, when the search takes long.
    pub walks: bool,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            time: None,
            memory: None,
            reduce: true,
            symmetry: true,
            por: true,
            any_threads: None,
            enumerate: 256,
            max_states: None,
            max_depth: None,
            walks: true,
        }
    }
}

/// How far the search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    /// Macro-steps from the start to the states that are being expanded.
    pub depth: u64,
    /// States found and not yet expanded.
    pub queue: u64,
    /// Bytes in use.
    pub memory: u64,
    pub elapsed: Duration,
}

impl Progress {
    pub fn states_per_second(&self) -> f64 {
        self.states as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Searches all that the program can do.
pub fn explore(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Verdict, Stop> {
    let started = Instant::now();
    let passes = selvedge_passes::Options {
        properties: options.properties.clone(),
        reduce: options.reduce,
        ..selvedge_passes::Options::default()
    };
    let prepared = prepare(program, &passes);
    search::run(program, &prepared, options, started, progress)
}

/// Likewise, on the program without any pass: the reference that reductions are tested against.
pub fn explore_as_given(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Verdict, Stop> {
    let regions = Regions::default();
    let prepared = Prepared {
        liveness: Liveness::of(program),
        footprints: Footprints::of(program, &regions),
        templates: Templates::of(program),
        regions,
        program: program.clone(),
        notes: Vec::new(),
    };
    let options = Options { por: false, ..options.clone() };
    search::run(program, &prepared, &options, Instant::now(), progress)
}
