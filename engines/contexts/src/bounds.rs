//! The bounds of a round, and what a round covers.

/// A loop whose rounds are counted with constants costs little more than straight code, so it may
/// go on longer than others, by this factor.
const COUNTED: u32 = 8;

/// Which executions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Contexts of each thread.
    pub contexts: u32,
    /// How often a loop is passed, and how deep a procedure calls itself.
    pub unwind: u32,
    /// Threads that a spawn in a loop, or any number of initial threads, stands for.
    pub threads: u32,
}

impl Bounds {
    /// The bound on loops, for the sequential back end.
    pub fn of_loops(self) -> selvedge_sequential::Options {
        selvedge_sequential::Options {
            counted: Some(COUNTED.saturating_mul(self.unwind).max(1)),
            ..selvedge_sequential::Options::unwind(self.unwind)
        }
    }
}

/// What a round without a violation has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// No execution within the contexts goes wrong, however often its loops are passed.
    AllLoops,
    /// No execution within the contexts and the bound on loops goes wrong.
    Loops,
    /// Nothing: the time for the round was over.
    OutOfTime,
    /// Nothing: there is more code within the bounds than can be looked at.
    TooLarge,
}
