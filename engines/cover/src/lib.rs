//! Proofs for any number of threads by covering: after Kaiser, Kroening, Wahl, "Lost in
//! Abstraction: Monotonicity in Multi-Threaded Programs" (2014).
//!
//! A finite-state thread that is run by any number of identical threads is a *thread transition
//! system* ([`tts`]). Whether some number of threads can reach (cover) a set of local states is
//! decided by a backward search over upward-closed sets ([`coverability`]); what it answers is
//! checked by [`evidence`], in the crate that checks proofs, which shares nothing with the search but
//! the system.
//!
//! A program becomes such a system by inter-thread predicate abstraction ([`abstraction`]), through
//! predicates ([`predicate`]) that are given or found by refinement. A run that covers an error is
//! concretised and replayed, or refuted by further predicates, which the paper leaves out. A proof
//! becomes a certificate about the program; SAFE is said only if `certify` accepts it.

pub mod abstraction;
pub mod coverability;
pub mod dual;
mod pairs;
pub mod predicate;
mod proof;
mod refine;
mod verify;

pub use abstraction::Stage;
pub use selvedge_certify::{evidence, tts};
pub use verify::{Failure, Options, Outcome, Round, stage, verify};

#[cfg(test)]
mod tests;
