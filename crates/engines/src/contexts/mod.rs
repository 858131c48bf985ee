//! Context-bounded analysis.

mod code;
mod flatten;
pub mod interleave;
mod memory;
mod points;
pub mod sequentialize;
mod sharing;
mod slots;
#[cfg(test)]
mod tests;
mod thread;

/// What executions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Contexts of each thread.
    pub contexts: u32,
    /// How often a loop is passed, and how deep a procedure calls itself.
    pub unwind: u32,
    /// Threads that a spawn in a loop, or any number of initial threads, stands for.
    pub threads: u32,
}
