//! Checks on several threads.
//!
//! What is to be checked is independent, so each worker takes the next one until none is left. Answers
//! are the same however many workers there are: every check has a thread, and so a context of the
//! solver, of its own (`alone`), since what a solver has seen before changes what it finds and what
//! that costs; and where work is counted, every check has the whole budget for itself. A check that is
//! stopped stops those behind it that have not begun; the one named is the first in the program's
//! order.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use selvedge_verdict::Stop;

/// Address space, of which only what is needed becomes memory.
const STACK_BYTES: usize = 1 << 28;

/// What all workers share.
struct Desk<T> {
    next: AtomicUsize,
    /// Nothing from here on is begun any more.
    end: AtomicUsize,
    done: Mutex<Vec<Option<Result<T, Stop>>>>,
}

/// Does so many tasks by so many workers. `began` hears of each in this thread.
pub(crate) fn all<T: Send>(
    jobs: usize,
    tasks: usize,
    task: impl Fn(usize) -> Result<T, Stop> + Sync,
    mut began: impl FnMut(usize),
) -> Result<Vec<T>, Stop> {
    let desk = Desk {
        next: AtomicUsize::new(0),
        end: AtomicUsize::new(tasks),
        done: Mutex::new((0..tasks).map(|_| None).collect()),
    };
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, tasks.max(1)) {
            let (desk, task, tell) = (&desk, &task, tell.clone());
            let body = move || worker(desk, task, &tell);
            let spawned = std::thread::Builder::new().stack_size(STACK_BYTES);
            // One worker fewer where the machine has no room for it; the last one is here.
            let _ = spawned.spawn_scoped(scope, body);
        }
        drop(tell);
        told.iter().for_each(&mut began);
    });
    let (tell, _) = channel();
    worker(&desk, &task, &tell);
    let done = desk.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_iter().flatten().collect()
}

fn worker<T>(desk: &Desk<T>, task: &impl Fn(usize) -> Result<T, Stop>, tell: &Sender<usize>) {
    loop {
        let index = desk.next.fetch_add(1, Ordering::Relaxed);
        if index >= desk.end.load(Ordering::Relaxed) {
            return;
        }
        // Nobody listens where there are no workers.
        let _ = tell.send(index);
        let result = task(index);
        if result.is_err() {
            desk.end.fetch_min(index, Ordering::Relaxed);
        }
        let mut done = desk.done.lock().unwrap_or_else(PoisonError::into_inner);
        done[index] = Some(result);
    }
}

/// Does work in a thread of its own, with a solver that has seen nothing yet.
pub(crate) fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let spawned = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let thread = spawned.expect("the system starts threads");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_number_of_workers() {
        for jobs in [1, 2, 7, 100] {
            let mut heard = 0;
            let found = all(jobs, 50, |index| Ok(index * index), |_| heard += 1);
            assert_eq!(found, Ok((0..50).map(|index| index * index).collect()));
            assert_eq!(heard, 50);
        }
        assert_eq!(all(3, 0, |_| Ok(()), |_| {}), Ok(Vec::new()));
    }

    #[test]
    fn the_first_stop_counts() {
        let task = |index: usize| match index {
            20 => Err(Stop::Work { limit: 20 }),
            30 => Err(Stop::Work { limit: 30 }),
            _ => Ok(index),
        };
        for jobs in [1, 4, 50] {
            assert_eq!(all(jobs, 50, task, |_| {}), Err(Stop::Work { limit: 20 }));
        }
    }

    #[test]
    fn what_is_done_alone_comes_back() {
        let words = ["a", "b"];
        assert_eq!(alone(|| words.len()), 2);
    }
}
