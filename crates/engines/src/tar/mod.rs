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
//! an interleaving replays on the program as given; where no thread-modular proof exists, private
//! state becomes visible to the others step by step ([`model::Ghost`]).
//!
//! SAFE is sound because the abstraction of a step has every behaviour of the step, and the final
//! assumptions have everything that the reached states allow; it is said only when the certificate,
//! an invariant for each thread and location, has been checked from the program alone.

mod abstraction;
mod bdd;
mod derivation;
mod model;
mod predicates;
mod reach;
mod refine;
mod region;
mod transitions;

use selvedge_smt::{Limits, Reason};

use crate::system::System;
use abstraction::{Abstraction, Feasible};
use derivation::{Derivation, derive};
use model::Model;
use predicates::Predicates;
use reach::Reach;
use refine::{Modular, Path};
use region::Space;
use transitions::{TransitionId, Transitions};

/// What is known between rounds.
pub struct Tar {
    model: Model,
    predicates: Predicates,
    transitions: Transitions,
    abstraction: Abstraction,
}

/// What came of one round: one set of predicates.
enum Round {
    Safe,
    Error(Vec<(Path, Vec<Checked>)>),
}

/// A transition on an abstract path, with the literals before and after.
type Checked = (TransitionId, Vec<transitions::Literal>);

/// How a search without a concrete program ends.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Safe,
    Possible,
    Unknown(Reason),
}

impl Tar {
    pub fn new(system: System, limits: Limits) -> Tar {
        let mut model = Model::new(system);
        let transitions = Transitions::of(&mut model);
        Tar {
            model,
            predicates: Predicates::default(),
            transitions,
            abstraction: Abstraction::new(limits),
        }
    }

    /// §2, Algorithm TAR.
    pub fn run(&mut self) -> Outcome {
        loop {
            self.abstraction.update(&mut self.model, &self.predicates, &mut self.transitions);
            let errors = match self.round() {
                Ok(Round::Safe) => return Outcome::Safe,
                Ok(Round::Error(errors)) => errors,
                Err(reason) => return Outcome::Unknown(reason),
            };
            let mut sharper = false;
            for (_, checks) in &errors {
                sharper |= self.check_each(checks);
            }
            if sharper {
                continue;
            }
            for (path, _) in &errors {
                let limits = self.abstraction.limits().clone();
                let answer = refine::interpolate(
                    &mut self.model,
                    &mut self.predicates,
                    &self.transitions,
                    path,
                    &limits,
                );
                match answer {
                    Modular::Excluded(_) => {}
                    Modular::Possible => return Outcome::Possible,
                    Modular::Unknown(reason) => return Outcome::Unknown(reason),
                }
            }
        }
    }

    fn check_each(&mut self, checks: &[Checked]) -> bool {
        let mut sharper = false;
        for (id, literals) in checks {
            let answer = self.abstraction.learn(
                &mut self.model,
                &self.predicates,
                &mut self.transitions,
                *id,
                literals,
            );
            sharper |= answer == Feasible::No;
        }
        sharper
    }

    fn round(&self) -> Result<Round, Reason> {
        let mut space = Space::new(&self.model, &self.predicates, &self.transitions);
        let mut reach = Reach::new(&mut space);
        let limits = self.abstraction.limits().clone();
        loop {
            reach.saturate(&|| limits.exceeded())?;
            let errors = errors(&mut reach, &self.transitions);
            if !errors.is_empty() {
                let paths = errors
                    .iter()
                    .map(|error| (Path::of(error), error.transitions(&reach)))
                    .collect();
                return Ok(Round::Error(paths));
            }
            if !reach.weaken_assumptions() {
                return Ok(Round::Safe);
            }
        }
    }
}

/// R intersected with the error states: a path to each error reached.
fn errors(reach: &mut Reach, transitions: &Transitions) -> Vec<Derivation> {
    let goals = transitions.bad.iter().chain(&transitions.races);
    goals.filter_map(|&goal| derive(reach, goal)).collect()
}

#[cfg(test)]
mod tests;
