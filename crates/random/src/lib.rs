//! Random programs, and campaigns that compare ways of running them.

pub mod agree;
mod body;
mod campaign;
mod contend;
mod generate;
mod mixed;
pub mod rounds;
mod scope;
mod shrink;

pub use campaign::{Disagreement, Report, campaign};
pub use generate::{contending, mixed, program, properties};
pub use selvedge_exec::rng::Rng;
pub use shrink::shrink;
