//! Limits that hold whatever an engine does.
//!
//! Engines keep to their limits by themselves, but a solver may be long in coming back, reading a
//! source may take long, and memory is not all in one place. So the work is done in a thread of its
//! own, and who waits for it looks at the clock, at the memory of the process and for Ctrl-C. Work
//! that is given up keeps running until the process ends, which is soon.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use selvedge_verdict::{Budget, Event, Stop};

use crate::{interrupt, memory};

/// What the worker tells whoever waits.
enum Told<T> {
    Event(Event),
    Done(T),
}

/// How the worker tells of an event.
pub struct Teller<T>(Sender<Told<T>>);

impl<T> Teller<T> {
    pub fn tell(&self, event: Event) {
        // Nobody listens any more when the limits are exceeded.
        let _ = self.0.send(Told::Event(event));
    }
}

/// An engine that notices the end of its time has more to say than that it is over.
const GRACE: Duration = Duration::from_millis(400);
const LOOK: Duration = Duration::from_millis(50);
const STACK_BYTES: usize = 1 << 30;
const SMALL_STACK_BYTES: usize = 1 << 28;

/// Does the work, unless it exceeds the budget; hears of events meanwhile.
pub fn run<T: Send + 'static>(
    budget: Budget,
    work: impl FnOnce(Teller<T>) -> T + Send + 'static,
    mut hear: impl FnMut(Event),
) -> Result<T, Stop> {
    let start = Instant::now();
    let (tell, told) = channel();
    let work = move || {
        let done = work(Teller(tell.clone()));
        let _ = tell.send(Told::Done(done));
    };
    let Some(worker) = spawn(work) else {
        return Err(Stop::Memory { limit_bytes: budget.memory.unwrap_or_default() });
    };
    let mut looked = start;
    loop {
        match told.recv_timeout(LOOK) {
            Ok(Told::Done(done)) => return Ok(done),
            Ok(Told::Event(event)) => hear(event),
            Err(RecvTimeoutError::Timeout) => {}
            // The worker has panicked, and said so.
            Err(RecvTimeoutError::Disconnected) => {
                let panic = worker.join().err().unwrap_or_else(|| Box::new("no answer"));
                std::panic::resume_unwind(panic);
            }
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            if let Some(stop) = exceeded(&budget, start) {
                return Err(stop);
            }
        }
    }
}

/// A thread with a large stack, or at least some stack where the address space is limited.
fn spawn(work: impl FnOnce() + Send + 'static) -> Option<std::thread::JoinHandle<()>> {
    let slot = std::sync::Arc::new(std::sync::Mutex::new(Some(work)));
    let attempt = |bytes| {
        let slot = slot.clone();
        let body = move || {
            let work = slot.lock().ok().and_then(|mut slot| slot.take());
            if let Some(work) = work {
                work();
            }
        };
        std::thread::Builder::new().stack_size(bytes).spawn(body).ok()
    };
    attempt(STACK_BYTES).or_else(|| attempt(SMALL_STACK_BYTES))
}

fn exceeded(budget: &Budget, start: Instant) -> Option<Stop> {
    if interrupt::raised() {
        return Some(Stop::Interrupted);
    }
    if let (Some(limit_bytes), Some(used)) = (budget.memory, memory::in_use())
        && used > limit_bytes
    {
        return Some(Stop::Memory { limit_bytes });
    }
    let limit = budget.time.filter(|&limit| start.elapsed() > limit + GRACE)?;
    Some(Stop::Time { limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_limits_gives_its_result() {
        let mut heard = 0;
        let work = |teller: Teller<u32>| {
            teller.tell(Event::Progress("half".into()));
            7
        };
        assert_eq!(run(Budget::unlimited(), work, |_| heard += 1), Ok(7));
        assert_eq!(heard, 1);
    }

    #[test]
    fn work_that_takes_too_long_is_given_up() {
        let (block, blocked) = channel::<()>();
        let limit = Duration::from_millis(1);
        let found = run(Budget::time(limit), move |_| blocked.recv().is_ok(), |_| {});
        assert_eq!(found, Err(Stop::Time { limit }));
        drop(block);
    }
}
