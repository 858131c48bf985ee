//! Work of the solver in a thread of its own, and one limit for all its questions.

use selvedge_smt::Limits;

use super::load::Load;

/// The solver recurses over terms and proofs.
const STACK: usize = 256 << 20;

/// Does work in a thread of its own: the solver does not forget an interrupt, and its memory goes
/// with the thread. None if the thread fails.
pub fn apart<R: Send>(load: &mut Load, work: impl FnOnce() -> R + Send) -> Option<R> {
    let before = *load;
    let measured = || {
        let result = work();
        (result, before.measured_again())
    };
    let (result, after) = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, measured).ok().and_then(|thread| thread.join().ok())
    })?;
    *load = after;
    Some(result)
}

/// The time for one question as the time for all of them together.
pub fn overall(limits: &Limits) -> Limits {
    let end = limits.time.map(|time| limits.clock.now() + time);
    let deadline = end.into_iter().chain(limits.deadline).min();
    Limits { time: None, deadline, ..limits.clone() }
}
