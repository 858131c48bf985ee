//! Sequential programs, and whether they are correct.

pub mod program;

pub use program::{Origin, Path, SequentialProgram, Step};
