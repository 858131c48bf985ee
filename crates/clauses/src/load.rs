//! How busy the machine is.
//!
//! Attempts are cut short by the clock. Where other processes take the processor away, an attempt
//! gets less done in its time, and all of them might be cut short before they can succeed. So the
//! time for an attempt is stretched by how long the one before had to wait. A clock that counts work
//! does not run while a thread waits: then nothing is measured and nothing is stretched.

use std::time::Duration;

use selvedge_budget::Clock;

/// The share of its time that a thread could not run because of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// In percent; none where it is not measured.
    waiting: Option<u32>,
}

/// Times are not stretched by more than this.
const MOST: u32 = 8;

impl Load {
    /// Of the calling thread so far.
    pub fn of_thread(clock: &Clock) -> Load {
        let unknown = Load { waiting: Some(0) };
        if clock.counts_work() { Load { waiting: None } } else { unknown.measured_again() }
    }

    /// Of the calling thread so far where the system tells, else as before.
    pub(crate) fn measured_again(self) -> Load {
        let path = "/proc/thread-self/schedstat";
        let measure = |_| std::fs::read_to_string(path).ok().as_deref().and_then(Load::read);
        self.waiting.and_then(measure).unwrap_or(self)
    }

    /// From nanoseconds of running and of waiting to run.
    fn read(text: &str) -> Option<Load> {
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let percent = waited.checked_mul(100)?.checked_div(ran.checked_add(waited)?)?;
        Some(Load { waiting: Some(u32::try_from(percent).ok()?) })
    }

    /// The time in which as much gets done as in this time without load, within limits.
    pub fn stretch(self, time: Duration) -> Duration {
        let running = 100u32.saturating_sub(self.waiting.unwrap_or(0)).max(100 / MOST);
        time.saturating_mul(100) / running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waiting_stretches_the_time() {
        assert_eq!(Load { waiting: Some(0) }.stretch(SECOND), SECOND);
        assert_eq!(Load::read("250 750 3").map(|load| load.stretch(SECOND)), Some(4 * SECOND));
        assert!(Load::read("1 1000000 3").is_some_and(|load| load.stretch(SECOND) <= 9 * SECOND));
        assert_eq!(Load::read("0 0 0"), None);
        assert_eq!(Load::read("nothing"), None);
    }

    #[test]
    fn counted_work_is_never_stretched() {
        let load = Load::of_thread(&Clock::counting());
        assert_eq!(load.measured_again(), load);
        assert_eq!(load.stretch(SECOND), SECOND);
    }
}
