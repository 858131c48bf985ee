//! Random programs, and campaigns that compare ways of running them.

mod body;
mod campaign;
mod generate;
mod rng;
mod shrink;

pub use campaign::{Disagreement, Report, campaign};
pub use generate::{program, properties};
pub use rng::Rng;
pub use shrink::shrink;
