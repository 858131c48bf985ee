//! Benchmarks: what each engine's paper measured, on the examples of this repository.

pub mod conform;
pub mod contexts;
pub mod contracts;
pub mod cover;
pub mod explore;
pub mod growth;
pub mod infer;
pub mod tar;
mod usage;

use std::time::Instant;

use crate::system::Outcome;

/// What the work yields, and the seconds that it took by the clock.
pub(crate) fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(T, f64)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64()))
}
