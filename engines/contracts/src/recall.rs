//! Checks that need not be made again, and what all checks of a program share.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use selvedge_budget::{Clock, Moment};
use selvedge_ir::ProcId;
use selvedge_smt::Limits;
use selvedge_verdict::{Run, Stop};

use crate::cache::Cache;
use crate::checker::{Checker, Mode, Task};
use crate::digest::{Digest, Hasher};
use crate::heads::Guesses;
use crate::report::Obligation;

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

/// A check, as it was made or rehearsed.
pub(crate) struct Checked {
    pub obligations: Vec<Obligation>,
    /// Of all questions, those about the guesses that were kept included.
    pub digest: Digest,
    pub asked: usize,
}

impl Task<'_> {
    /// The answer in the cache, if a rehearsal asks what was asked before.
    pub fn recalled(&self, rehearse: impl FnOnce(&Task<'_>) -> Result<Checked, Stop>) -> Option<Checked> {
        let cache = self.shared.cache.as_ref()?;
        let task = Task { rehearsal: true, ..self.clone() };
        let checked = rehearse(&task).ok()?;
        cache.answer(&checked.digest).filter(|proved| *proved)?;
        Some(checked)
    }

    /// Keeps a check in which everything was proved.
    pub fn keep(&self, checked: &Checked) {
        if let Some(cache) = &self.shared.cache
            && checked.obligations.iter().all(|obligation| obligation.outcome.is_proved())
        {
            cache.keep_answer(&checked.digest, true);
        }
    }
}

/// Goes through a procedure with guesses that hold, once to show that and once for its obligations.
pub(crate) fn with_guesses(
    task: &Task<'_>,
    id: ProcId,
    guesses: &mut Guesses,
) -> Result<Checked, Stop> {
    let mut first = None;
    if !guesses.at.is_empty() {
        let mut checker = Checker::new(task, id, Mode::Guess, guesses);
        checker.run()?;
        first = Some(checker.world.digest());
    }
    obligations(task, id, guesses, first)
}

/// The obligations of a procedure, with guesses that were shown to hold by questions with a digest.
pub(crate) fn obligations(
    task: &Task<'_>,
    id: ProcId,
    guesses: &mut Guesses,
    shown: Option<Digest>,
) -> Result<Checked, Stop> {
    let mut checker = Checker::new(task, id, Mode::Check, guesses);
    checker.run()?;
    let digest = together(shown.into_iter().chain([checker.world.digest()]));
    let (obligations, asked) = (std::mem::take(&mut checker.obligations), checker.world.asked);
    Ok(Checked { obligations, digest, asked })
}

/// One digest for several.
pub(crate) fn together(all: impl IntoIterator<Item = Digest>) -> Digest {
    let mut hasher = Hasher::new();
    all.into_iter().for_each(|digest| hasher.read(&digest.0));
    hasher.finish()
}

/// Guesses about loops, as the cache knows them: by all that were made.
pub(crate) struct Candidates {
    all: Guesses,
    digest: Digest,
}

impl Candidates {
    pub fn new(all: Guesses) -> Candidates {
        let digest = Hasher::of(format!("{:?}", all.at).as_bytes());
        Candidates { all, digest }
    }

    pub fn all(&self) -> Guesses {
        Guesses { at: self.all.at.clone() }
    }

    /// Those that held before.
    pub fn held(&self, cache: &Cache) -> Option<Guesses> {
        if self.all.at.is_empty() {
            return Some(self.all());
        }
        let held = cache.held(&self.digest)?;
        let mut number = 0..;
        let mut guesses = self.all();
        for about in guesses.at.values_mut() {
            about.retain(|_| number.next().is_some_and(|number| held.binary_search(&number).is_ok()));
        }
        Some(guesses)
    }

    pub fn keep(&self, cache: &Cache, kept: &Guesses) {
        if self.all.at.is_empty() {
            return;
        }
        let every = self.all.at.iter().flat_map(|(head, all)| all.iter().map(move |g| (head, g)));
        let held = every.enumerate().filter(|(_, (head, guess))| {
            kept.at.get(head).is_some_and(|kept| kept.contains(guess))
        });
        let held: Vec<usize> = held.map(|(number, _)| number).collect();
        cache.keep_held(&self.digest, &held);
    }
}
