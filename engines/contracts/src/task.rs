//! What every check is told, and what all checks of a program share.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use selvedge_budget::{Clock, Moment};
use selvedge_ir::Property;
use selvedge_smt::Limits;
use selvedge_verdict::{Run, Stop};

use crate::cache::Cache;
use crate::digest::Digest;
use crate::prepare::Subject;

/// What every check is told.
#[derive(Clone)]
pub(crate) struct Task<'a> {
    pub subject: &'a Subject,
    pub properties: &'a [Property],
    /// Leave the environment out before steps that do not look at memory (§6.4).
    pub commute: bool,
    /// As in [`crate::Own`].
    pub split: bool,
    pub focus: bool,
    pub limits: Limits,
    /// Whether questions are made and not asked (`questions.rs`).
    pub rehearsal: bool,
    pub shared: &'a Shared,
}

/// What all checks of a program share.
pub(crate) struct Shared {
    pub cache: Option<Cache>,
    /// What the solver may use in one check.
    limits: Limits,
    /// Units of work for one check; none where the time counts.
    work: Option<u64>,
    /// What is said where time or work is used up.
    out_of_budget: Stop,
    /// Whether formulas are transitive, by the questions that decide it.
    transitive: Mutex<FxHashMap<Digest, bool>>,
}

impl Shared {
    pub fn new(cache: Option<Cache>, limits: Limits, run: &Run<'_>) -> Shared {
        let (work, out_of_budget) = (run.budget().work, run.out_of_budget());
        Shared { cache, limits, work, out_of_budget, transitive: Mutex::default() }
    }

    /// A question that was cut short by the end of the budget is the end of the budget.
    pub fn in_budget(&self, limits: &Limits, stop: Stop) -> Stop {
        match limits.exceeded() {
            Some(_) => self.out_of_budget.clone(),
            None => stop,
        }
    }

    pub fn check(&self, limits: &Limits) -> Result<(), Stop> {
        limits.exceeded().map_or(Ok(()), |_| Err(self.out_of_budget.clone()))
    }

    /// Where work is counted, every check has the whole of it, so that nothing depends on the order
    /// in which they are made.
    pub fn limits(&self) -> Limits {
        let limits = self.limits.clone();
        match self.work {
            Some(units) => {
                let deadline = Some(Moment::START + Clock::time_for(units));
                Limits { clock: Clock::counting(), deadline, ..limits }
            }
            None => limits,
        }
    }

    /// What is known of some formulas, by their questions.
    pub fn is_transitive(&self, key: &Digest) -> Option<bool> {
        let known = self.transitive.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = || self.cache.as_ref().and_then(|cache| cache.answer(key));
        known.get(key).copied().or_else(kept)
    }

    /// Only what the solver has decided goes to the cache.
    pub fn keep_transitive(&self, key: Digest, holds: bool, decided: bool) {
        if let Some(cache) = self.cache.as_ref().filter(|_| decided) {
            cache.keep_answer(&key, holds);
        }
        self.transitive.lock().unwrap_or_else(PoisonError::into_inner).insert(key, holds);
    }
}
