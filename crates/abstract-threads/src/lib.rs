//! Abstract threads: the programs that a program falls into once each of its threads has a
//! specification that is another thread.
//!
//! Lahiri, Malkis and Qadeer, "Abstract Threads". A specification is a state machine with an
//! assertion A(x) in each state x and a relation T(x, y) on each edge, over shared variables, the
//! *vocabulary*. [`Subject::instrument`] makes the check that a thread conforms to its
//! specification (§3.1), a sequential program; [`Subject::compose`] makes the abstract program, in
//! which abstract threads run in the place of those that they stand for (§2). If all of these are
//! correct, the program is (Theorem 1).
//!
//! Both are pure transformations of Plato. Nothing here decides anything.
//!
//! Where we differ from the paper:
//! - Programs have memory beside the vocabulary. To a check, what others may write there is any
//!   value, and memory of the thread alone stays as it is (`actions`). In the abstract program
//!   what replaced threads may write is any value to those that stay (`compose`).
//! - Threads that have no abstract thread stay concrete; each is an abstraction of itself.
//! - Procedures that have contracts are checked by themselves, and their contracts stand in the place
//!   of calls (`contracts`), which the paper leaves open.
//! - A step is what is done between two points at which others may run, atomic blocks included.
//!
//! What is undefined or not supported goes wrong in a check as it does in the program, so that a
//! check that is correct excludes it.

mod actions;
mod always;
mod annotate;
pub mod build;
mod called;
mod compose;
mod cone;
mod contracts;
mod embed;
mod explain;
mod instrument;
mod locks;
mod machine;
mod memory;
mod minimise;
pub mod names;
mod others;
mod path;
mod pieces;
mod propagate;
mod refused;
mod rely;
mod sketch;
mod sketched;
mod steps;
mod subject;
#[cfg(test)]
mod tests;
mod threads_as_numbers;
mod vocabulary;

pub use annotate::annotation;
pub use contracts::Kept;
pub use embed::{from_contracts, started};
pub use explain::{Candidate, Unmatched, read_value};
pub use refused::Refused;
pub use sketch::{Sketch, SketchState, SketchStep};
pub use sketched::Guess;
pub use subject::Subject;
pub use vocabulary::{Cell, Vocabulary};
