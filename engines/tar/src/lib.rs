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
mod explicit;
mod expose;
mod model;
mod pairs;
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
mod values;
mod wider;
mod wraps;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use selvedge_certify::{Arithmetic, Certificate};
use selvedge_exec::{Stop, Trace};
use selvedge_ir::{EdgeId, ProcId, Program, Property, Span};
use selvedge_passes::{Prepared, prepare};
use selvedge_smt::{Dump, Limits};

use annotate::Assumptions;
use concrete::Concrete;
use model::{Ghost, Model};
use pairs::Pairs;
pub use pairs::{Pair, Settled};
use proof::Invariants;
pub use record::{End, Round};
use search::{Outcome, Tar};
use selvedge_system::{self, System};

#[derive(Clone, Debug)]
pub struct Options {
    pub properties: Vec<Property>,
    pub time: Option<Duration>,
    /// Merge actions by Lipton reduction.
    pub reduce: bool,
    /// Look at all pairs of accesses that may race, not only until the first race is found.
    pub all_races: bool,
    /// Where the solver's questions go as text.
    pub dump: Option<Dump>,
}

impl Options {
    pub fn new(properties: &[Property]) -> Options {
        Options {
            properties: properties.to_vec(),
            time: None,
            reduce: true,
            all_races: false,
            dump: None,
        }
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

/// What a run found out, and of each pair of accesses that may race if all were asked for.
#[derive(Debug)]
pub struct Survey {
    pub found: Result<Found, Stop>,
    pub pairs: Vec<Pair>,
}

/// Proves a program safe, or finds a violation.
pub fn verify(
    program: &Program,
    options: &Options,
    progress: &mut dyn FnMut(&Round),
) -> Result<Found, Stop> {
    survey(program, options, progress).found
}

/// Likewise, with what became of each pair of accesses.
pub fn survey(program: &Program, options: &Options, progress: &mut dyn FnMut(&Round)) -> Survey {
    let mut pairs = options.all_races.then(Pairs::default);
    let found = search(program, options, &mut pairs, progress);
    let pairs = pairs.unwrap_or_default();
    let (found, why) = match (found, pairs.first_trace()) {
        (Ok(found), _) => (Ok(found), "another violation was found".to_owned()),
        // One race is enough, whatever became of the others.
        (Err(stop), Some(trace)) => (Ok(Found::Unsafe(trace)), stop.to_string()),
        (Err(stop), None) => {
            let why = stop.to_string();
            (Err(stop), why)
        }
    };
    Survey { found, pairs: pairs.list(why) }
}

fn search(
    program: &Program,
    options: &Options,
    pairs: &mut Option<Pairs>,
    progress: &mut dyn FnMut(&Round),
) -> Result<Found, Stop> {
    let started = Instant::now();
    if options.properties.contains(&Property::Deadlock) {
        let what = "deadlocks are not looked for by this method".to_owned();
        return Err(Stop::Unsupported { what, span: Span::NONE });
    }
    let mut passes = selvedge_passes::Options {
        properties: options.properties.clone(),
        reduce: options.reduce,
        ..selvedge_passes::Options::default()
    };
    let mut prepared = prepare(program, &passes);
    // Memory of several types is followed field by field; that accesses stay in theirs is proved.
    if prepared.program.regions.values().any(|region| region.ty.is_none()) {
        passes.fields = true;
        prepared = prepare(program, &passes);
    }
    let deadline = options.time.and_then(|time| started.checked_add(time));
    let limits = Limits { deadline, dump: options.dump.clone(), ..Limits::default() };
    let mut wrapping: BTreeSet<(ProcId, EdgeId)> = BTreeSet::new();
    let mut known = None;
    wrapping.extend(wraps::harmless(&prepare_model(build(&prepared, options, &wrapping)?)));
    loop {
        let build = || build(&prepared, options, &wrapping);
        let properties = &options.properties;
        let concrete = Concrete { program, prepared: &prepared, system: build()?, properties };
        let mut tar = Tar::new(build()?, concrete, known.take(), pairs.take(), limits.clone());
        let outcome = tar.run(progress);
        *pairs = tar.pairs.take();
        match outcome {
            Ok(Outcome::Safe(invariants, assumed)) => {
                let proof = tar.proof(program, &passes, &invariants, &assumed);
                return Ok(Found::Safe(Box::new(proof)));
            }
            Ok(Outcome::Unsafe(trace)) => return Ok(Found::Unsafe(trace)),
            Ok(Outcome::Wraps(edge)) => {
                wrapping.insert(edge);
                known = Some(tar.into_known(edge));
            }
            Err(Stop::Time { .. }) => {
                return Err(Stop::Time { limit: options.time.unwrap_or_default() });
            }
            Err(stop) => return Err(stop),
        }
    }
}

impl Tar<'_> {
    fn proof(
        &mut self,
        program: &Program,
        passes: &selvedge_passes::Options,
        invariants: &Invariants,
        assumed: &Assumptions,
    ) -> Proof {
        let empty = Certificate::new("tar", program, passes, Arithmetic::Integers);
        let certificate = invariants.certify(&mut self.model, empty);
        let predicates = self.predicate_texts();
        let assumptions = annotate::text(&self.model, assumed);
        Proof { certificate, predicates, assumptions }
    }
}

/// The model of a system, with what is found before any search.
fn prepare_model(system: System) -> Model {
    let mut model = Model::new(system);
    for id in model.ids() {
        if !model.template(id).initial {
            model.expose(Ghost::Started(id));
        }
    }
    model.find_values();
    model
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
