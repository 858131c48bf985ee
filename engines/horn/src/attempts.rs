//! In which order levels are tried, and for how long.
//!
//! Coarse levels answer fast where they can: they prove, or they are refuted. So they come first; then
//! guesses at all levels, which end by themselves, and then the solver's searches, which may not. Each
//! attempt that runs out of time is repeated with more of it and with other choices in the solver's
//! search, until the time for all is over.

use std::time::Duration;

use super::frame::Level;
use super::linear::Tier;
use super::view::View;
use selvedge_system::Bad;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub level: Level,
    /// Integer operations wrap around, instead of having to stay in their types.
    pub modular: bool,
    /// By a guess instead of a search.
    pub guess: bool,
    pub time: Option<Duration>,
    pub global: bool,
    pub seed: u32,
}

/// What remains to be tried.
pub struct Attempts {
    open: Vec<Plan>,
    next: usize,
    round: u32,
    /// Those that failed although other operations wrapping around might help.
    failed: Vec<Plan>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    level: Level,
    modular: bool,
    guess: bool,
    /// Not in the first round.
    late: bool,
}

impl Plan {
    /// A thread alone is searched for fast. Then come guesses, which end by themselves, and last the
    /// searches for several threads.
    fn rank(&self) -> u8 {
        let (alone, beside) = (self.level.others == 1, !self.level.core.is_empty());
        match (alone, self.guess, beside) {
            (true, false, false) if !self.modular => 0,
            (true, true, false) => 1,
            (false, true, false) => 2,
            (true, false, _) => 3,
            (_, true, true) => 4,
            (false, false, _) => 5,
        }
    }
}

/// The core is tracked as a whole only while there are not more location tuples of it.
const CORE_TUPLES: usize = 200;

/// The time for a first attempt.
const FIRST: Duration = Duration::from_secs(4);

impl Attempts {
    pub fn new() -> Attempts {
        Attempts { open: Vec::new(), next: 0, round: 0, failed: Vec::new() }
    }

    /// All levels for a program.
    pub fn plan(&mut self, view: &View, tiers: &[Tier], wraps: bool) {
        let pools = view.threads.iter().any(|thread| thread.pool);
        let tracked = |number: &usize| {
            let thread = &view.threads[*number];
            !(thread.pool || pools && thread.silent())
        };
        let instances: Vec<usize> = (0..view.threads.len()).filter(tracked).collect();
        let tuples = instances.iter().map(|&number| view.threads[number].places());
        let small = tuples.fold(1usize, usize::saturating_mul) <= CORE_TUPLES;
        let usual = if tiers.contains(&Tier::Present) { Tier::Present } else { Tier::Bounded };
        let most = if pools { 3 } else { 3.min(instances.len()) };
        for others in 1..=most {
            let level = |core: &[usize], facts| Level { core: core.to_vec(), others, facts };
            self.add(level(&[], usual), wraps, others > 2);
            if small && !instances.is_empty() && pools {
                self.add(level(&instances, usual), wraps, others > 2);
            }
            if tiers.contains(&Tier::Ever) {
                self.add(level(&[], Tier::Ever), wraps, others > 2);
            }
            if usual != Tier::Bounded && others > 1 {
                self.add(level(&[], Tier::Bounded), wraps, true);
            }
        }
        if !pools && instances.len() > 3 {
            self.add(Level { core: instances, others: 0, facts: usual }, wraps, false);
        }
    }

    fn add(&mut self, level: Level, wraps: bool, late: bool) {
        for guess in [false, true] {
            for modular in [false, true] {
                if wraps || !modular {
                    self.open.push(Plan { level: level.clone(), modular, guess, late });
                }
            }
        }
        self.open.sort_by_key(Plan::rank);
    }

    /// The levels of the first round, those that answer fast first.
    pub fn early(&self) -> Vec<Level> {
        let fast = |plan: &&Plan| plan.guess && !plan.late && plan.level.facts != Tier::Ever;
        let early = self.open.iter().filter(fast);
        early.map(|plan| plan.level.clone()).collect()
    }

    pub fn next(&mut self, remaining: Option<Duration>) -> Option<Attempt> {
        if self.open.is_empty() || remaining.is_some_and(|time| time.is_zero()) {
            return None;
        }
        loop {
            if self.next >= self.open.len() {
                self.next = 0;
                self.round += 1;
                self.open.sort_by_key(Plan::rank);
            }
            self.next += 1;
            if self.round > 0 || !self.open[self.next - 1].late {
                break;
            }
        }
        let Plan { level, modular, guess, .. } = self.open[self.next - 1].clone();
        Some(Attempt {
            level,
            modular,
            guess,
            time: Some(FIRST * 2u32.saturating_pow(self.round.min(16))),
            global: self.round % 2 == 1,
            seed: self.round / 2,
        })
    }

    /// The level says too little, and so does every level that says less.
    pub fn refuted(&mut self, attempt: &Attempt, bad: &Bad) {
        let wrap = matches!(bad, Bad::Wrap { .. });
        let gone = self.remove(|plan| {
            plan.level.within(&attempt.level)
                && (plan.modular == attempt.modular || !wrap && plan.modular)
        });
        if wrap {
            self.failed.extend(gone.into_iter().filter(|plan| plan.modular));
        }
    }

    /// An operation does wrap around: only attempts that take that into account are left.
    pub fn wraps(&mut self) {
        self.remove(|plan| !plan.modular);
    }

    pub fn drop(&mut self, attempt: &Attempt) {
        let gone = self.remove(|plan| {
            plan.modular == attempt.modular
                && plan.level == attempt.level
                && plan.guess == attempt.guess
        });
        self.failed.extend(gone.into_iter().filter(|plan| plan.modular));
    }

    /// Other operations than before wrap around: what has failed is tried again, next.
    pub fn renew(&mut self) {
        let mut again = std::mem::take(&mut self.failed);
        again.sort_by_key(Plan::rank);
        self.open.splice(self.next..self.next, again);
    }

    fn remove(&mut self, gone: impl Fn(&Plan) -> bool) -> Vec<Plan> {
        let before = self.open[..self.next.min(self.open.len())].iter().filter(|o| gone(o)).count();
        let (removed, kept) = self.open.drain(..).partition(|open| gone(open));
        self.open = kept;
        self.next -= before;
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_tried_again() {
        let level = Level { core: Vec::new(), others: 1, facts: Tier::Bounded };
        let mut attempts = Attempts::new();
        attempts.add(level, true, false);
        let mut seen = Vec::new();
        while let Some(attempt) = attempts.next(None) {
            attempts.drop(&attempt);
            seen.push((attempt.modular, attempt.guess));
        }
        assert_eq!(seen, [(false, false), (false, true), (true, true), (true, false)]);
        attempts.renew();
        let again: Vec<bool> = (0..2).flat_map(|_| attempts.next(None)).map(|a| a.guess).collect();
        assert_eq!(again, [true, false]);
    }
}
