//! Limits on the solver's work, and stopping it from another thread.
//!
//! Where the clock runs with the real time, Z3's own timer would cost more than a small question.
//! Instead a watching thread waits beside a guarded piece of work, only where there is something to
//! watch for, and interrupts Z3 when the time is over or the [`Interrupt`] is raised. Z3 forgets an
//! interrupt that comes before it has begun, so the watcher repeats it until the work is done.
//!
//! Where the clock counts work, no thread watches the time. Each question gets what is left as
//! Z3's resource limit and spends what Z3 has counted (`meter.rs`), so that it ends at the same
//! point on every machine.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use selvedge_budget::{Clock, Moment};
use z3::Context;

use crate::answer::Reason;
use crate::dump::{Dump, DumpFile};
use crate::meter;

/// What goes with every question: what the solver may use, who may stop it, and where the question
/// is written down. Clones share the interrupt and the dump.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// For each question.
    pub time: Option<Duration>,
    /// For all questions together.
    pub deadline: Option<Moment>,
    /// What both are measured by.
    pub clock: Clock,
    pub interrupt: Option<Interrupt>,
    pub dump: Option<Dump>,
}

impl Limits {
    pub fn none() -> Limits {
        Limits::default()
    }

    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    pub fn until(clock: &Clock, deadline: Moment) -> Limits {
        Limits { deadline: Some(deadline), clock: clock.clone(), ..Limits::default() }
    }

    pub fn with_interrupt(self, interrupt: &Interrupt) -> Limits {
        Limits { interrupt: Some(interrupt.clone()), ..self }
    }

    pub fn with_dump(self, dump: &Dump) -> Limits {
        Limits { dump: Some(dump.clone()), ..self }
    }

    /// Writes a question down, if questions are written down.
    pub(crate) fn note(&self, kind: &str, script: impl FnOnce() -> String) -> Option<DumpFile> {
        self.dump.as_ref().map(|dump| dump.begin(kind, &script()))
    }

    fn end(&self) -> Option<Moment> {
        let own = self.time.map(|time| self.clock.now() + time);
        own.into_iter().chain(self.deadline).min()
    }

    /// Does work that asks many small questions, with one watching thread instead of one for each.
    /// They get no time limits of their own and end together; from then on the solver answers
    /// nothing in this thread. Where work is counted, they share what is left of it.
    pub fn together<R>(&self, work: impl FnOnce(&Limits) -> R) -> Result<R, Reason> {
        if let Some(reason) = self.exceeded() {
            return Err(reason);
        }
        let free = Limits { dump: self.dump.clone(), ..Limits::default() };
        let (end, free) = match self.clock.counts_work() {
            true => (None, Limits { deadline: self.end(), clock: self.clock.clone(), ..free }),
            false => (self.end(), free),
        };
        Ok(watched(self, end, || work(&free)).0)
    }

    /// Whether nothing may be begun any more.
    pub fn exceeded(&self) -> Option<Reason> {
        if self.interrupt.as_ref().is_some_and(Interrupt::is_raised) {
            return Some(Reason::Interrupted);
        }
        self.deadline.filter(|&end| end <= self.clock.now()).map(|_| Reason::Time)
    }
}

/// Megabytes that Z3 may use, all threads of the process together; a question that needs more is
/// answered by `Unknown`. Zero means no limit.
pub fn set_memory_limit(megabytes: u32) {
    z3::set_global_param("memory_high_watermark_mb", &megabytes.to_string());
}

/// Stops solvers from another thread: once raised, every question under it ends with
/// [`Reason::Interrupted`], the running ones too, until it is lowered.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    raised: Mutex<bool>,
    changed: Condvar,
}

impl Interrupt {
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    pub fn raise(&self) {
        *self.shared.lock() = true;
        self.shared.changed.notify_all();
    }

    pub fn lower(&self) {
        *self.shared.lock() = false;
    }

    pub fn is_raised(&self) -> bool {
        *self.shared.lock()
    }
}

impl Shared {
    /// The flag is valid whatever happened to a thread that held the lock.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks Z3 one question under the limits, and with so many units of work at most. An error means that it was not asked; the reason beside
/// the result says that it was cut short, if the result does not show otherwise.
pub(crate) fn guarded<R>(
    limits: &Limits,
    most: Option<u64>,
    question: impl FnOnce() -> R,
) -> Result<(R, Option<Reason>), Reason> {
    let counts_work = limits.clock.counts_work();
    if counts_work {
        limits.clock.spend(meter::QUESTION);
    }
    if let Some(reason) = limits.exceeded() {
        return Err(reason);
    }
    let end = limits.end();
    if !counts_work {
        return Ok(match most {
            None => watched(limits, end, question),
            Some(_) => meter::limited(most, || watched(limits, end, question)).result,
        });
    }
    let left = end.map(|end| Clock::work_for(limits.clock.left(end)));
    let least = left.into_iter().chain(most).min();
    let metered = meter::limited(least, || watched(limits, None, question));
    limits.clock.spend(metered.units);
    let (result, interrupted) = metered.result;
    Ok((result, interrupted.or(metered.ran_out.then_some(Reason::Time))))
}

/// Does the work while a thread waits for the end of the time and for the interrupt, if there is
/// one of them to wait for. The reason says that the thread has stopped the work.
fn watched<R>(
    limits: &Limits,
    end: Option<Moment>,
    work: impl FnOnce() -> R,
) -> (R, Option<Reason>) {
    if end.is_none() && limits.interrupt.is_none() {
        return (work(), None);
    }
    let shared = limits.interrupt.clone().unwrap_or_default().shared;
    let context = Context::thread_local();
    let done = Mutex::new(false);
    std::thread::scope(|scope| {
        let handle = context.handle();
        let watcher =
            scope.spawn(|| watch(&shared, end, &limits.clock, &done, move || handle.interrupt()));
        let finished = Finished { done: &done, shared: &shared };
        let result = work();
        drop(finished);
        match watcher.join() {
            Ok(reason) => (result, reason),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Lets the watcher go, also when the work panics.
struct Finished<'a> {
    done: &'a Mutex<bool>,
    shared: &'a Shared,
}

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        // Under the lock that the watcher waits with, or it could miss the notice.
        let _raised = self.shared.lock();
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.changed.notify_all();
    }
}

/// Waits until the work is done, or else stops it and says why.
fn watch(
    shared: &Shared,
    end: Option<Moment>,
    clock: &Clock,
    done: &Mutex<bool>,
    stop: impl Fn(),
) -> Option<Reason> {
    let is_done = || *done.lock().unwrap_or_else(PoisonError::into_inner);
    let mut raised = shared.lock();
    let mut reason = None;
    while !is_done() {
        if *raised {
            reason = Some(Reason::Interrupted);
        } else if end.is_some_and(|end| end <= clock.now()) {
            reason.get_or_insert(Reason::Time);
        }
        let wait = if reason.is_some() {
            stop();
            Duration::from_millis(5)
        } else {
            end.map_or(Duration::from_secs(3600), |end| clock.left(end))
        };
        let waited = shared.changed.wait_timeout(raised, wait);
        raised = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_within_the_limits_gives_its_result() {
        let limits = Limits::time(Duration::from_secs(60)).with_interrupt(&Interrupt::new());
        assert_eq!(guarded(&limits, None, || 7), Ok((7, None)));
        assert_eq!(guarded(&Limits::none(), None, || 7), Ok((7, None)));
    }

    #[test]
    fn many_questions_under_one_watch() {
        let limits = Limits::time(Duration::from_secs(60));
        let result = limits.together(|free| (free.time, free.deadline, guarded(free, None, || 7)));
        assert_eq!(result, Ok((None, None, Ok((7, None)))));
        let over = Limits::until(&Clock::wall(), Moment::START).together(|_| panic!("begun"));
        assert_eq!(over, Err::<(), _>(Reason::Time));
    }

    #[test]
    fn nothing_begins_after_the_end() {
        let limits = Limits::until(&Clock::wall(), Moment::START);
        assert_eq!(guarded(&limits, None, || panic!("begun")), Err::<((), _), _>(Reason::Time));
        let interrupt = Interrupt::new();
        interrupt.raise();
        let limits = Limits::none().with_interrupt(&interrupt);
        assert_eq!(
            guarded(&limits, None, || panic!("begun")),
            Err::<((), _), _>(Reason::Interrupted)
        );
        interrupt.lower();
        assert_eq!(guarded(&limits, None, || 7), Ok((7, None)));
    }
}
