//! What an answer about covering rests on, and the check that it does.
//!
//! Two kinds: a [`Run`] that covers the target, and a [`Basis`] that shows that nothing does. Their
//! checks are written from the definition of a thread transition system alone. They share no code
//! with the search and prefer being plain to being fast.

mod basis;
mod file;
mod run;

pub use basis::Basis;
pub use file::{Certificate, FileError};
pub use run::{Run, Step};
