//! `tar`: proofs one thread at a time.
//!
//! Henzinger, Jhala, Majumdar, Qadeer, "Thread-modular Abstraction Refinement" (TAR). Each thread is
//! abstracted by predicates and looked at alone, together with an assumption about what the others
//! do to the shared state. Threads are approximated from above and refined by predicates; the
//! assumptions start empty and grow until they cover what the threads do (§2, Algorithm TAR).
//!
//! Symbols: t_i, the abstraction of thread i ([`abstraction`]); g_i, what the others assume of it
//! ([`reach::Assumption`], by the thread that assumes); R, the states reached, and ρ_i, what thread
//! i does from there ([`reach`]); Θ, refinement ([`refine`]).
//!
//! Where we differ from the paper: assumptions are relations on predicates, not only a havoc map
//! (which is what they start as, see [`abstraction`]); any number of templates, each a single thread
//! or a pool of any number of threads, where a pool is part of its own environment (§4); a path to
//! an error is looked at with all that caused the environment's steps in it, and reported only if
//! an interleaving replays on the program as given ([`concrete`]); where no thread-modular proof
//! exists, private state becomes visible to the others step by step ([`expose`]), and threads of
//! pools are counted ([`count`]).
//!
//! SAFE is sound because the abstraction of a step has every behaviour of the step, and the final
//! assumptions have everything that the reached states allow; it is said only when the certificate,
//! an invariant for each thread and location, has been checked from the program alone.

mod abstraction;
mod annotate;
mod bdd;
mod concrete;
mod count;
mod derivation;
mod expose;
mod model;
mod predicates;
mod proof;
mod reach;
mod record;
mod refine;
mod region;
mod search;
mod slice;
#[cfg(test)]
mod tests;
mod transitions;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use selvedge_certify::{Arithmetic, Certificate};
use selvedge_exec::{Stop, Trace};
use selvedge_ir::{EdgeId, ProcId, Program, Property, Span};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::{Dump, Limits};

use crate::system::{self, System};
use concrete::Concrete;
pub use record::{End, Round};
use search::{Outcome, Tar};

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    pub time: Option<Duration>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Where the solver's questions go as text.
    pub dump: Option<Dump>,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options { properties: properties.to_vec(), time: None, reduce: true, dump: None }
    }
}

/// What was found out.
#[derive(Debug)]
pub enum Found {
    Safe(Box<Proof>),
    Unsafe(Box<Trace>),
}

/// Why the program is safe. It is to be believed when the certificate has been checked.
#[derive(Clone, Debug)]
pub struct Proof {
    pub certificate: Certificate,
    /// For people.
    pub predicates: Vec<String>,
    /// As annotations.
    pub assumptions: String,
}

impl Proof {
    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::from("predicates:\n");
        for predicate in &self.predicates {
            text.push_str(&format!("  {predicate}\n"));
        }
        text.push_str(&self.assumptions);
        text
    }
}

/// Proves a program safe, or finds a violation.
pub fn verify(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Round),
) -> Result<Found, Stop> {
    let started = Instant::now();
    if options.properties.contains(&Property::Deadlock) {
        let what = "deadlocks are not looked for by this method".to_owned();
        return Err(Stop::Unsupported { what, span: Span::NONE });
    }
    let passes = selvedge_passes::Options {
        properties: options.properties.clone(),
        reduce: options.reduce,
        ..selvedge_passes::Options::default()
    };
    let prepared = prepare(program, &passes);
    let deadline = options.time.and_then(|time| started.checked_add(time));
    let limits = Limits { deadline, dump: options.dump.clone(), ..Limits::default() };
    let mut wrapping: BTreeSet<(ProcId, EdgeId)> = BTreeSet::new();
    let mut known = None;
    loop {
        let build = || build(&prepared, options, &wrapping);
        let properties = &options.properties;
        let concrete = Concrete { program, prepared: &prepared, system: build()?, properties };
        let mut tar = Tar::new(build()?, concrete, known.take(), limits.clone());
        match tar.run(progress) {
            Ok(Outcome::Safe(invariants, assumed)) => {
                let arithmetic = Arithmetic::Integers;
                let empty = Certificate::new("tar", program, &passes, arithmetic);
                let certificate = invariants.certify(&mut tar.model, empty);
                let predicates = tar.predicate_texts();
                let assumptions = annotate::text(&tar.model, &assumed);
                return Ok(Found::Safe(Box::new(Proof { certificate, predicates, assumptions })));
            }
            Ok(Outcome::Unsafe(trace)) => return Ok(Found::Unsafe(trace)),
            Ok(Outcome::Wraps(edge)) => {
                wrapping.insert(edge);
                known = Some(tar.into_known());
            }
            Err(Stop::Time { .. }) => {
                return Err(Stop::Time { limit: options.time.unwrap_or_default() });
            }
            Err(stop) => return Err(stop),
        }
    }
}

fn build(
    prepared: &Prepared,
    options: &Options,
    wrapping: &BTreeSet<(ProcId, EdgeId)>,
) -> Result<System, Stop> {
    let modular = wrapping.clone();
    let options = system::Options { modular, ..system::Options::new(&options.properties) };
    System::build(prepared, &options)
}
