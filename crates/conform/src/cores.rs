//! How many threads work at a time: no more than there are processors, since two engines that share one
//! keep each other from the answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Processors that nobody works on.
#[derive(Debug)]
pub struct Cores {
    free: Mutex<usize>,
    returned: Condvar,
}

/// A processor that somebody works on, until this is dropped.
pub struct Taken(Arc<Cores>);

/// A processor that somebody has taken and does not use, until this is dropped.
pub struct Lent(Arc<Cores>);

/// How often who waits looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

impl Cores {
    pub fn all() -> Arc<Cores> {
        Cores::new(thread::available_parallelism().map_or(1, usize::from))
    }

    fn new(number: usize) -> Arc<Cores> {
        Arc::new(Cores { free: Mutex::new(number), returned: Condvar::new() })
    }

    /// Takes a processor even if none is free.
    pub fn take(self: &Arc<Cores>) -> Taken {
        let mut free = self.lock();
        *free = free.saturating_sub(1);
        Taken(Arc::clone(self))
    }

    /// Waits for a free processor; none if nobody wants it any more.
    pub fn wait(self: &Arc<Cores>, over: &AtomicBool) -> Option<Taken> {
        let mut free = self.lock();
        while *free == 0 {
            if over.load(Ordering::Relaxed) {
                return None;
            }
            let waited = self.returned.wait_timeout(free, LOOK);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= 1;
        Some(Taken(Arc::clone(self)))
    }

    /// Lets others work while who has taken a processor waits.
    pub fn lend(self: &Arc<Cores>) -> Lent {
        *self.lock() += 1;
        self.returned.notify_one();
        Lent(Arc::clone(self))
    }

    /// A number cannot be left half changed.
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.returned.notify_one();
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut free = self.0.lock();
        *free = free.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_engine_waits_for_a_processor() {
        let cores = Cores::new(1);
        let first = cores.take();
        assert!(cores.wait(&AtomicBool::new(true)).is_none());
        drop(first);
        assert!(cores.wait(&AtomicBool::new(true)).is_some());
    }
}
