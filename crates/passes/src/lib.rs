//! Passes over Plato programs: analyses that every engine profits from, and transformations that
//! keep the meaning of a program while making it easier to explore or to prove.
//!
//! One file is one pass, named by its theory. [`prepare_within`] runs them in order, within
//! [`Limits`]; [`dump`] prints what any of them yields. A pass never changes the sequence of visible
//! actions of a thread (loads, stores, locks, allocation, threads, inputs, nondeterministic choices),
//! so a trace found on a prepared program replays on the program as it was lowered. Only
//! [`mod@promote`], which engines ask for, does change it, and keeps the edges for that reason.

pub mod bits;
pub mod callgraph;
pub mod devirtualize;
pub mod fields;
pub mod fold;
pub mod footprint;
pub mod graph;
pub mod inline;
pub mod limits;
pub mod liveness;
pub mod locks;
pub mod options;
pub mod orders;
pub mod parallel;
pub mod pointsto;
pub mod prefix;
pub mod prepare;
pub mod promote;
pub mod reduce;
pub mod regions;
pub mod simplify;
#[cfg(test)]
mod tests;
pub mod threads;
mod trips;

pub use footprint::{Footprint, FootprintId, Footprints};
pub use limits::{Limits, MOST_EDGES, Unprepared};
pub use liveness::Liveness;
pub use options::Options;
pub use prepare::{Prepared, Stage, dump, prepare, prepare_within};
pub use threads::{Template, Templates};
