//! What a verification may use up: time, memory, or an amount of work.
//!
//! A time limit gives other answers on a slower machine. A limit on *work* does not: work is counted
//! in units that depend only on the program and the question (the solver's resource units, states
//! visited, steps taken). Everything that has a deadline asks a [`Clock`], which runs with the real
//! time or with the work done; an engine divides its time among its parts in the same way in both
//! cases.

mod clock;
pub mod workers;

pub use clock::{Clock, Moment, UNITS_PER_SECOND};

use std::time::Duration;

/// What may be used up; none where there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub time: Option<Duration>,
    /// In bytes.
    pub memory: Option<u64>,
    /// In units of work.
    pub work: Option<u64>,
}

impl Budget {
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    pub fn time(time: Duration) -> Budget {
        Budget { time: Some(time), ..Budget::default() }
    }

    pub fn work(units: u64) -> Budget {
        Budget { work: Some(units), ..Budget::default() }
    }

    /// A clock that starts now. With a limit on work it counts work: then the real time decides
    /// nothing, and whoever started the engine sees to its end.
    pub fn clock(&self) -> Clock {
        if self.work.is_some() { Clock::counting() } else { Clock::wall() }
    }

    /// When that clock has run out.
    pub fn end(&self) -> Option<Moment> {
        let whole = self.work.map(Clock::time_for).or(self.time)?;
        Some(Moment::START + whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_comes_before_time() {
        let both = Budget { time: Some(Duration::from_secs(9)), ..Budget::work(UNITS_PER_SECOND) };
        assert!(both.clock().counts_work());
        assert_eq!(both.end(), Some(Moment::START + Duration::from_secs(1)));
        assert!(!Budget::time(Duration::from_secs(9)).clock().counts_work());
        assert_eq!(Budget::unlimited().end(), None);
    }
}
