//! Checks that need not be made again.

use selvedge_ir::ProcId;
use selvedge_verdict::Stop;

use crate::cache::Cache;
use crate::checker::{Checker, Mode};
use crate::digest::{Digest, Hasher, together};
use crate::heads::Guesses;
use crate::report::Obligation;
use crate::task::Task;

/// A check, as it was made or rehearsed.
pub(crate) struct Checked {
    pub obligations: Vec<Obligation>,
    /// Of all questions, those about the guesses that were kept included.
    pub digest: Digest,
    pub asked: usize,
}

impl Task<'_> {
    /// The answer in the cache, if a rehearsal asks what was asked before.
    pub fn recalled(
        &self,
        rehearse: impl FnOnce(&Task<'_>) -> Result<Checked, Stop>,
    ) -> Option<Checked> {
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
            about.retain(|_| {
                number.next().is_some_and(|number| held.binary_search(&number).is_ok())
            });
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
