//! Random programs, and campaigns that compare ways of running them.

mod body;
mod generate;
mod rng;

pub use generate::{program, properties};
pub use rng::Rng;
