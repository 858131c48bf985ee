//! The predicate language (§2.1.2): over the shared variables, the locals of the active thread, and
//! the locals of a passive thread.
//!
//! An inter-thread predicate, one that mentions a passive thread, holds for a thread if it holds
//! against every other one (equation 3). A predicate is a conjunction of atoms. Where a thread has
//! no value for a local yet, or none any more, the atoms that mention it count as true: "my ticket
//! is not that of another" speaks of those who have drawn one. Since locations are known exactly,
//! this is a predicate over locations and locals, and all that the paper says of predicates holds.

mod formula;
mod known;
mod text;
mod vocabulary;

pub use formula::{Atom, Predicate};
pub use text::{Unreadable, parse};
pub use vocabulary::Vocabulary;
