//! Inter-thread predicate abstraction (§2.2, §3): a system of threads over data becomes a thread
//! transition system over truth values.
//!
//! A thread's abstract local state is where it stands and which predicates hold of it; the shared
//! state is which shared predicates hold. For each step, the solver enumerates the truth values
//! before and after, of the thread that acts and of one passive thread ([`question`]): the
//! dual-reference template, with as many further threads as Theorem 3 asks for. What passive threads
//! do is closed monotonically (Definition 10), so that the result is a thread transition system
//! ([`explore`]). Only what can be reached is enumerated.

mod ask;
mod base;
mod explore;
mod meetings;
mod parts;
mod question;
mod system;
#[cfg(test)]
mod tests;
pub mod thread;
mod threads;
mod witness;

pub use base::Abstraction;
pub use meetings::Meeting;
pub use system::{AbstractSystem, Cause, LocalState, SharedState};
pub use threads::Looked;
