//! What is asked about a sequential program.

use std::collections::BTreeMap;
use std::time::Duration;

use selvedge_ir::LocationId;

use super::given::Given;

/// How far to look, and what to find out.
#[derive(Clone, Debug)]
pub struct Options {
    /// The first bound.
    pub from: u32,
    /// The last bound; it doubles on the way. Without one, it grows until the time is over.
    pub to: Option<u32>,
    /// Whether to find out if executions go beyond the bound. Without that, nothing is `Correct`
    /// unless constants show that all loops end.
    pub prove: bool,
    /// How often a loop goes back where constants decide that; otherwise a multiple of the bound.
    pub counted: Option<u32>,
    /// Copies of locations.
    pub copies: usize,
    /// Whether to minimize the assumptions that the result needs, and for how many proofs with
    /// disjoint assumptions to look.
    pub cores: Option<usize>,
    /// The time to look for invariants of loops before any bound is tried.
    pub invariants: Option<Duration>,
    /// Invariants of loops, by their heads, over the program's locals. They are checked before they
    /// are used ([`Run::rejected`](super::Run::rejected)).
    pub given: BTreeMap<LocationId, Given>,
}

impl Options {
    /// One bound only.
    pub fn unwind(unwind: u32) -> Options {
        Options { from: unwind, to: Some(unwind), ..Options::default() }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            from: 1,
            to: None,
            prove: true,
            counted: None,
            copies: 300_000,
            cores: None,
            invariants: None,
            given: BTreeMap::new(),
        }
    }
}
