//! Benchmarks: what each engine's paper measured, on the examples of this repository.

pub mod contexts;
pub mod explore;
pub mod tar;
