//! Thread-modular Horn clauses of a system, and cheap ways to solutions of them.
//!
//! Thread-modular reasoning at a level k asks for a relation over the shared state and the local
//! states of k threads that every step of these threads and of any other thread preserves, where the
//! other thread is known to be related to the k threads in the same way. Such relations are solutions
//! of Horn clauses; a solution is an inductive invariant of any number of threads.
//!
//! From a system to a certificate:
//! - [`view`]: what of the system can influence whether a bad step is taken;
//! - [`linear`]: linear equalities over variables and numbers of threads, known beforehand;
//! - [`levels`], [`frame`]: how many threads relations speak about, and where these stand;
//! - [`rules`]: the clauses, with [`reach`] for the steps and [`races`] for the accesses that they
//!   are about;
//! - [`guess`]: the strongest solution that the program's own comparisons can express;
//! - [`evidence`]: a solution as a certificate.
//!
//! The engine `horn` looks for solutions until it has a proof. The engine `cover` takes the atoms of
//! a solution for predicates ([`formulas`]) and what variables say about numbers of threads
//! ([`Counts`]).
//!
//! All time is measured by the clock in [`Limits`](selvedge_smt::Limits). What works long without
//! the solver counts units of work, which its module states.

pub mod apart;
mod comparisons;
mod conflicts;
mod counts;
pub mod evidence;
mod feature;
mod formulas;
pub mod frame;
pub mod guess;
mod languages;
pub mod levels;
pub mod linear;
pub mod load;
pub mod promoted;
pub mod races;
pub mod reach;
mod relevance;
pub mod rules;
#[cfg(test)]
mod tests;
pub mod view;
mod wrapping;

pub use conflicts::Conflict;
pub use counts::Counts;
pub use evidence::Counters;
pub use formulas::{Formulas, formulas};
pub use frame::Level;
pub use languages::languages;
