//! Counting Z3's work.
//!
//! Z3 counts resource units, for all objects of a context together, from when the context is made.
//! The count depends only on what the context was asked, in which order; it is not the same for a
//! question asked again, as the context has grown. Under a limit Z3 gives up when the count passes
//! it, and then the count says that exactly the limit was used. A context belongs to a thread and is
//! never shared, so what other threads do does not matter.
//!
//! A unit of ours is one of Z3's. On a desktop machine Z3 uses three to five million in a second of
//! propositional search and about half a million in a second of nonlinear arithmetic or of small
//! questions, so that [`selvedge_budget::UNITS_PER_SECOND`] is between.

use std::cell::OnceCell;

use z3::{Context, StatisticsValue};

/// What a question costs beside what Z3 counts: nothing is free, so that any number of questions
/// uses up any budget.
pub(crate) const QUESTION: u64 = 100;

/// What a question came to.
pub(crate) struct Metered<R> {
    pub result: R,
    pub units: u64,
    /// Whether all the work that was allowed is used up.
    pub ran_out: bool,
}

/// Asks one question that may use so many units; none means that there is no limit.
///
/// Z3's limit has 32 bits, so a single question under a limit ends there at the latest.
pub(crate) fn limited<R>(units: Option<u64>, question: impl FnOnce() -> R) -> Metered<R> {
    // Zero would mean that there is no limit.
    let limit = units.map(|units| u32::try_from(units).unwrap_or(u32::MAX).max(1));
    let before = count();
    let guard = limit.map(Limited::new);
    let result = question();
    drop(guard);
    let used = count().wrapping_sub(before);
    let ran_out = limit.is_some_and(|limit| used >= limit);
    Metered { result, units: used.into(), ran_out }
}

/// Z3's limit for the questions of this thread, until it is dropped; also when a question panics.
struct Limited;

impl Limited {
    fn new(limit: u32) -> Limited {
        set_limit(limit);
        Limited
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        set_limit(0);
    }
}

fn set_limit(limit: u32) {
    Context::thread_local().update_param_value("rlimit", &limit.to_string());
}

/// What the thread's context has used so far, modulo 2^32. Every solver of a context tells the
/// count of the whole context, so an empty one is asked.
fn count() -> u32 {
    thread_local! {
        static EMPTY: OnceCell<z3::Solver> = const { OnceCell::new() };
    }
    EMPTY.with(|solver| {
        let statistics = solver.get_or_init(z3::Solver::new).get_statistics();
        match statistics.value("rlimit count") {
            Some(StatisticsValue::UInt(count)) => count,
            other => panic!("Z3 tells its resource count as a number, not {other:?}"),
        }
    })
}
