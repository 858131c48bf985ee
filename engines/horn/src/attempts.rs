//! In which order levels are tried, and for how long.
//!
//! Coarse levels answer fast where they can: they prove, or they are refuted. So they come first; then
//! guesses at all levels, which end by themselves, and then the solver's searches, which may not. Each
//! attempt that runs out of time is repeated with more of it and with other choices in the solver's
//! search, until the time for all is over. Times are those of the run's clock.

use std::time::Duration;

use selvedge_clauses::frame::Level;
use selvedge_clauses::levels::Planned;
use selvedge_system::Bad;

/// What is tried, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub level: Level,
    /// Integer operations wrap around, instead of having to stay in their types.
    pub modular: bool,
    /// By a guess instead of a search.
    pub guess: bool,
    pub time: Option<Duration>,
    /// Choices in the solver's search.
    pub global: bool,
    pub seed: u32,
}

/// What remains to be tried.
pub struct Attempts {
    open: Vec<Plan>,
    next: usize,
    round: u32,
    /// Attempts that failed, and may succeed if other operations wrap around.
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

/// The time for a first attempt.
const FIRST: Duration = Duration::from_secs(4);

impl Attempts {
    /// All levels; `wraps` says whether operations may have to wrap around.
    pub fn new(levels: &[Planned], wraps: bool) -> Attempts {
        let mut attempts = Attempts { open: Vec::new(), next: 0, round: 0, failed: Vec::new() };
        for planned in levels {
            attempts.add(planned, wraps);
        }
        attempts.open.sort_by_key(Plan::rank);
        attempts
    }

    fn add(&mut self, planned: &Planned, wraps: bool) {
        let Planned { level, late } = planned;
        for guess in [false, true] {
            for modular in [false, true] {
                if wraps || !modular {
                    self.open.push(Plan { level: level.clone(), modular, guess, late: *late });
                }
            }
        }
    }

    /// The next attempt, unless nothing is left to be tried, or no time.
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

    /// The attempt failed and is not repeated.
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
    use selvedge_clauses::linear::Tier;
    use selvedge_ir::Span;

    use super::*;

    fn level(others: usize, late: bool) -> Planned {
        let level = Level { core: Vec::new(), others, facts: Tier::Bounded };
        Planned { level, late }
    }

    #[test]
    fn failed_attempts_are_renewed() {
        let mut attempts = Attempts::new(&[level(1, false)], true);
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

    #[test]
    fn late_levels_come_in_the_second_round_with_more_time() {
        let mut attempts = Attempts::new(&[level(1, false), level(3, true)], false);
        let all = (0..6).flat_map(|_| attempts.next(None));
        let all: Vec<(usize, Option<Duration>)> = all.map(|a| (a.level.others, a.time)).collect();
        let (first, second) = (Some(FIRST), Some(2 * FIRST));
        let expected = [(1, first), (1, first), (1, second), (1, second), (3, second), (3, second)];
        assert_eq!(all, expected);
        assert_eq!(attempts.next(Some(Duration::ZERO)), None);
    }

    #[test]
    fn a_refutation_excludes_coarser_levels() {
        let mut attempts = Attempts::new(&[level(1, false), level(2, false)], false);
        let pair = std::iter::from_fn(|| attempts.next(None)).find(|a| a.level.others == 2);
        let bad = Bad::Unsupported { what: String::new(), span: Span::NONE };
        attempts.refuted(&pair.expect("an attempt at level 2"), &bad);
        assert_eq!(attempts.next(None), None);
    }
}
