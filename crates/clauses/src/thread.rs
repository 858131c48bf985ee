//! Work of the solver in a thread of its own.

use selvedge_smt::Limits;

use super::load::Load;

/// The solver recurses over terms and proofs.
const STACK: usize = 256 << 20;

/// In a thread of its own: the solver does not forget an interrupt, and its memory goes with it.
/// None if the thread fails.
pub fn apart<R: Send>(load: &mut Load, work: impl FnOnce() -> R + Send) -> Option<R> {
    let timed = || {
        let result = work();
        (result, Load::of_thread())
    };
    let (result, now) = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, timed).ok().and_then(|thread| thread.join().ok())
    })?;
    *load = now.unwrap_or(*load);
    Some(result)
}

/// The time for one question as the time for all together.
pub fn overall(limits: &Limits) -> Limits {
    let end = limits.time.map(|time| limits.clock.now() + time);
    let deadline = end.into_iter().chain(limits.deadline).min();
    Limits { time: None, deadline, ..limits.clone() }
}
