//! Limits that hold whatever an engine does.
//!
//! Engines keep to their limits by themselves, but a solver may be long in coming back, and its
//! memory is not all that counts. So the search runs in a thread of its own, and who waits for it
//! looks at the clock and at the memory of the process. A search that is given up keeps running
//! until the process ends, which is soon.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use selvedge_exec::Stop;

use crate::args::Verify;
use crate::memory;

/// What the search may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Bytes of the whole process.
    pub memory: u64,
}

impl Limits {
    /// As the user says; the solver keeps to the memory as well.
    pub fn of(options: &Verify) -> Limits {
        let memory = options.memory.unwrap_or_else(memory::default_limit);
        selvedge_smt::set_memory_limit(u32::try_from(memory >> 20).unwrap_or(u32::MAX).max(1));
        Limits { time: options.time.0, memory }
    }
}

/// An engine that notices the end of its time has more to say than that it is over.
const GRACE: Duration = Duration::from_millis(700);
const LOOK: Duration = Duration::from_millis(50);
const STACK_BYTES: usize = 1 << 28;

/// Runs the search, unless it exceeds the limits.
pub fn run<T: Send + 'static>(
    limits: Limits,
    search: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    let start = Instant::now();
    let (finish, finished) = channel();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // Nobody listens any more when the limits are exceeded.
        let _ = finish.send(search());
    });
    loop {
        match finished.recv_timeout(LOOK) {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => {}
            // The search has panicked, and said so.
            Err(RecvTimeoutError::Disconnected) => match worker {
                Ok(worker) => std::panic::resume_unwind(
                    worker.join().err().unwrap_or_else(|| Box::new("no answer")),
                ),
                Err(_) => return Err(Stop::Memory { limit_bytes: limits.memory }),
            },
        }
        if let Some(stop) = exceeded(limits, start) {
            return Err(stop);
        }
    }
}

fn exceeded(limits: Limits, start: Instant) -> Option<Stop> {
    if memory::in_use().is_some_and(|bytes| bytes > limits.memory) {
        return Some(Stop::Memory { limit_bytes: limits.memory });
    }
    let limit = limits.time.filter(|&limit| start.elapsed() > limit + GRACE)?;
    Some(Stop::Time { limit })
}
