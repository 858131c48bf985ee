//! Independent work on several threads.
//!
//! Each worker takes the next task until none is left. Whoever gives each task a thread of its own
//! (`alone`) gets the same answers however many workers there are, since what a solver has seen before
//! changes what it finds and what that costs. A task that is stopped stops those behind it that have not
//! begun; the error is that of the first in order.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// Address space, of which only what is needed becomes memory.
const STACK_BYTES: usize = 1 << 28;

/// What all workers share.
struct Desk<T, E> {
    next: AtomicUsize,
    /// Nothing from here on is begun any more.
    end: AtomicUsize,
    done: Mutex<Vec<Option<Result<T, E>>>>,
}

/// Does so many tasks by so many workers. `began` hears of each in this thread.
pub fn all<T: Send, E: Send>(
    jobs: usize,
    tasks: usize,
    task: impl Fn(usize) -> Result<T, E> + Sync,
    mut began: impl FnMut(usize),
) -> Result<Vec<T>, E> {
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

fn worker<T, E>(desk: &Desk<T, E>, task: &impl Fn(usize) -> Result<T, E>, tell: &Sender<usize>) {
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
pub fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
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
            let found = all(jobs, 50, |index| Ok::<usize, ()>(index * index), |_| heard += 1);
            assert_eq!(found, Ok((0..50).map(|index| index * index).collect()));
            assert_eq!(heard, 50);
        }
        assert_eq!(all(3, 0, |_| Ok::<(), ()>(()), |_| {}), Ok(Vec::new()));
    }

    #[test]
    fn the_first_stop_counts() {
        let task = |index: usize| match index {
            20 => Err(20),
            30 => Err(30),
            _ => Ok(index),
        };
        for jobs in [1, 4, 50] {
            assert_eq!(all(jobs, 50, task, |_| {}), Err(20));
        }
    }

    #[test]
    fn what_is_done_alone_comes_back() {
        let words = ["a", "b"];
        assert_eq!(alone(|| words.len()), 2);
    }
}
