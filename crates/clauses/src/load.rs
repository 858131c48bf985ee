//! How busy the machine is.
//!
//! Attempts are cut short by the clock. Where other work takes the processor away, an attempt gets
//! less done in its time, and all of them might be cut short before they can succeed. So the time for
//! an attempt is stretched by how long the one before had to wait.

use std::time::Duration;

/// The share of its time that a thread could not run because of others, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    waiting: u32,
}

impl Load {
    pub const NONE: Load = Load { waiting: 0 };

    /// Of the thread so far, where the system tells.
    pub fn of_thread() -> Option<Load> {
        Load::read(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
    }

    /// From nanoseconds of running and of waiting to run.
    fn read(text: &str) -> Option<Load> {
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let percent = waited.checked_mul(100)?.checked_div(ran.checked_add(waited)?)?;
        Some(Load { waiting: u32::try_from(percent).ok()? })
    }

    /// The time in which as much gets done as in this time without load, within limits.
    pub fn stretch(self, time: Duration) -> Duration {
        let running = 100u32.saturating_sub(self.waiting).max(100 / MOST);
        time.saturating_mul(100) / running
    }
}

/// Times are not stretched by more than this.
const MOST: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_stretches() {
        let second = Duration::from_secs(1);
        assert_eq!(Load::NONE.stretch(second), second);
        assert_eq!(Load::read("250 750 3").map(|load| load.stretch(second)), Some(4 * second));
        assert!(Load::read("1 1000000 3").is_some_and(|load| load.stretch(second) <= 9 * second));
        assert_eq!(Load::read("0 0 0"), None);
        assert_eq!(Load::read("nothing"), None);
    }
}
