//! Explicit-state search: every interleaving and every input of a program, or a violation.
//!
//! Breadth-first over macro-steps (a thread runs from one interleaving point to its next), so the
//! first violation has the fewest. States are kept as canonical bytes (`encode`); a state has a
//! reduced expansion where `ample` allows it. When the time given is partly used up without an
//! answer, random walks (`walk`) look for a violation deeper down.
//!
//! SAFE is said only when the queue ran empty and nothing was cut: no limit was reached, no input
//! was too large to be tried, and nothing unsupported or undefined can be reached. Then the states
//! kept are all that the program can reach, up to what the reductions identify: `Joined` locations
//! (Lipton, "Reduction", 1975; the pass `reduce`), dead locals, names of objects and threads,
//! persistent sets. UNSAFE is said only with a trace that has been replayed on the program as it
//! was given, without any pass.
//!
//! Programs with orders weaker than sequential consistency have states of another kind, and a search
//! of their own (`weak`).
//!
//! Work: a transition counts three units, and more where it does many actions or the state is
//! large (`transition`); looking for races counts by pairs of threads. The limits are looked at
//! every few thousand units, inside the expansion of one state too.

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
#[cfg(test)]
mod tests;
mod walk;
mod weak;

use selvedge_ir::{Program, Property};
use selvedge_passes::regions::Regions;
use selvedge_passes::{Footprints, Liveness, Prepared, Templates};
use selvedge_verdict::{Abilities, Options, Run, Stop, Verdict};

/// The engine's name, as in `--engine explore`.
pub const NAME: &str = "explore";

pub const ABILITIES: Abilities =
    Abilities { name: NAME, unchecked: &[Property::Invariant], math: false };

/// Units of work of one transition: actions that it has done, and bytes of the state that it has led
/// to, which is encoded and looked up.
fn transition(actions: u64, bytes: usize) -> u64 {
    3 + actions / 16 + bytes as u64 / 64
}

/// Units of work of looking for races among so many threads.
fn races(threads: usize) -> u64 {
    (threads as u64).pow(2) / 64
}

/// What only this engine knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// Identify states that differ only in the order of threads.
    pub symmetry: bool,
    /// Let one thread move alone where that shows everything (partial-order reduction).
    pub por: bool,
    /// An input that is used other than by comparison is tried value by value up to this many.
    pub enumerate: u64,
    pub max_states: Option<u64>,
    /// In macro-steps.
    pub max_depth: Option<u64>,
    /// Look for violations by random walks, too, when the search takes long.
    pub walks: bool,
}

impl Default for Own {
    fn default() -> Own {
        Own {
            symmetry: true,
            por: true,
            enumerate: 256,
            max_states: None,
            max_depth: None,
            walks: true,
        }
    }
}

/// Searches all that the program can do.
///
/// ```
/// use selvedge_explore::{Own, verify};
/// use selvedge_ir::{Property, text};
/// use selvedge_verdict::{Budget, Options, Run, Verdict};
///
/// let program = text::parse(
///     "example",
///     "shared x: u8;
///      procedure worker() { local t: u8; t := x; x := t + 1; assert x == t + 1 \"mine\"; }
///      thread 2 worker;",
/// )
/// .unwrap();
/// let options = Options::<Own>::new(&[Property::Assert]);
/// let verdict = verify(&program, &options, &mut Run::silent(Budget::work(1_000_000)));
/// assert!(matches!(verdict, Ok(Verdict::Unsafe(_))));
/// ```
pub fn verify(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    ABILITIES.admit(options)?;
    let reduce = options.reduce && !program.has_weak_accesses();
    let passes = selvedge_passes::Options { reduce, ..passes(options) };
    let prepared = run.prepare(program, &passes)?;
    // The passes may have found that no thread gets to any weak access.
    match prepared.program.has_weak_accesses() {
        true => weak::search(program, &prepared, options, run),
        false => search::search(program, &prepared, options, run),
    }
}

/// How the program is prepared.
pub fn passes(options: &Options<Own>) -> selvedge_passes::Options {
    selvedge_passes::Options {
        properties: options.properties.clone(),
        reduce: options.reduce,
        ..selvedge_passes::Options::default()
    }
}

/// Searches the program without any pass: the reference that engines are tested against.
pub fn verify_as_given(
    program: &Program,
    options: &Options<Own>,
    run: &mut Run<'_>,
) -> Result<Verdict, Stop> {
    let regions = Regions::default();
    let prepared = run.analyse(|limits| {
        Ok(Prepared {
            liveness: Liveness::of(program, limits)?,
            footprints: Footprints::of(program, &regions, limits)?,
            templates: Templates::of(program),
            regions,
            program: program.clone(),
            notes: Vec::new(),
        })
    })?;
    if program.has_weak_accesses() {
        return weak::search(program, &prepared, options, run);
    }
    let mut options = options.clone();
    options.own.por = false;
    search::search(program, &prepared, &options, run)
}
