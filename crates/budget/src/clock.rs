//! A clock that runs with the real time, or with the work done.

use std::ops::{Add, Sub};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// So much work stands for a second: about what the solver does in one on a desktop machine. A unit
/// is one of Z3's resource units; who does other work says how many units it is worth.
pub const UNITS_PER_SECOND: u64 = 1_000_000;

/// A reading of a [`Clock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    /// When the clock was made.
    pub const START: Moment = Moment(Duration::ZERO);

    /// The time from another moment to this one; none if that one is later.
    pub fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, time: Duration) -> Moment {
        Moment(self.0.saturating_add(time))
    }
}

impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Moment) -> Duration {
        self.since(earlier)
    }
}

/// Clones are the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    counts_work: bool,
    spent: AtomicU64,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::wall()
    }
}

impl Clock {
    /// Runs with the real time.
    pub fn wall() -> Clock {
        Clock::new(false)
    }

    /// Runs with the work done.
    pub fn counting() -> Clock {
        Clock::new(true)
    }

    fn new(counts_work: bool) -> Clock {
        let (start, spent) = (Instant::now(), AtomicU64::new(0));
        Clock { shared: Arc::new(Shared { start, counts_work, spent }) }
    }

    pub fn counts_work(&self) -> bool {
        self.shared.counts_work
    }

    pub fn now(&self) -> Moment {
        match self.counts_work() {
            true => Moment(Clock::time_for(self.spent())),
            false => Moment(self.shared.start.elapsed()),
        }
    }

    /// Takes note of work done. All work is counted, whatever the clock runs with.
    pub fn spend(&self, units: u64) {
        self.shared.spent.fetch_add(units, Ordering::Relaxed);
    }

    pub fn spent(&self) -> u64 {
        self.shared.spent.load(Ordering::Relaxed)
    }

    /// What is left until then.
    pub fn left(&self, end: Moment) -> Duration {
        end.since(self.now())
    }

    /// What so much work stands for.
    pub fn time_for(units: u64) -> Duration {
        let micros = u128::from(units) * 1_000_000 / u128::from(UNITS_PER_SECOND);
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// The work that stands for so much time.
    pub fn work_for(time: Duration) -> u64 {
        let units = time.as_micros() * u128::from(UNITS_PER_SECOND) / 1_000_000;
        u64::try_from(units).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counting_clock_runs_with_work_only() {
        let clock = Clock::counting();
        let end = clock.now() + Duration::from_secs(2);
        assert_eq!(clock.now(), Moment::START);
        clock.spend(UNITS_PER_SECOND / 2);
        assert_eq!(clock.left(end), Duration::from_millis(1500));
        clock.clone().spend(2 * UNITS_PER_SECOND);
        assert_eq!(clock.left(end), Duration::ZERO);
    }

    #[test]
    fn a_wall_clock_goes_on_by_itself() {
        let clock = Clock::wall();
        let before = clock.now();
        while clock.now() == before {}
        assert!(clock.now() > before);
        clock.spend(7);
        assert_eq!(clock.spent(), 7);
    }

    #[test]
    fn time_and_work_stand_for_each_other() {
        let time = Duration::from_millis(1250);
        assert_eq!(Clock::time_for(Clock::work_for(time)), time);
    }
}
