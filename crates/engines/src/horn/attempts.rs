//! In which order levels are tried, and for how long.
//!
//! Coarse levels answer fast where they can: they prove, or they are refuted. So they come first, and
//! each attempt that runs out of time is repeated with more of it and with other choices in the
//! solver's search, until the time for all is over.

use std::time::Duration;

use super::frame::Level;
use super::view::View;
use crate::system::Bad;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub level: Level,
    /// Integer operations wrap around, instead of having to stay in their types.
    pub modular: bool,
    pub time: Option<Duration>,
    pub global: bool,
    pub seed: u32,
}

/// What remains to be tried.
pub struct Attempts {
    open: Vec<(Level, bool)>,
    next: usize,
    round: u32,
}

/// The core is tracked as a whole only while there are not more location tuples of it.
const CORE_TUPLES: usize = 200;

const FIRST: Duration = Duration::from_secs(3);

impl Attempts {
    pub fn new() -> Attempts {
        Attempts { open: Vec::new(), next: 0, round: 0 }
    }

    /// All levels for a program.
    pub fn plan(&mut self, view: &View, facts: bool, wraps: bool) {
        let pools = view.threads.iter().any(|thread| thread.pool);
        let tracked = |number: &usize| {
            let thread = &view.threads[*number];
            !thread.pool && !(pools && thread.silent())
        };
        let instances: Vec<usize> = (0..view.threads.len()).filter(tracked).collect();
        let tuples = instances.iter().map(|&number| view.threads[number].places());
        let small = tuples.fold(1usize, usize::saturating_mul) <= CORE_TUPLES;
        let mut levels = Vec::new();
        for others in 1..=3 {
            if facts && others > 1 {
                levels.push(Level { core: Vec::new(), others, facts: true });
            }
            levels.push(Level { core: Vec::new(), others, facts: false });
            if small && !instances.is_empty() && pools {
                levels.push(Level { core: instances.clone(), others, facts });
            }
        }
        if !pools && instances.len() > 3 {
            levels.push(Level { core: instances, others: 0, facts });
        }
        levels.retain(|level| pools || level.others <= view.threads.len());
        for level in levels {
            self.open.push((level.clone(), false));
            if wraps {
                self.open.push((level, true));
            }
        }
    }

    pub fn next(&mut self, remaining: Option<Duration>) -> Option<Attempt> {
        if self.open.is_empty() || remaining.is_some_and(|time| time.is_zero()) {
            return None;
        }
        loop {
            if self.next >= self.open.len() {
                self.next = 0;
                self.round += 1;
            }
            // Large levels only when the small ones have had their chance.
            if self.round > 0 || self.open[self.next].0.others < 3 || self.open.len() == 1 {
                break;
            }
            self.next += 1;
        }
        let (level, modular) = self.open[self.next].clone();
        self.next += 1;
        let first = if level.others == 1 { FIRST } else { FIRST * 2 };
        Some(Attempt {
            level,
            modular,
            time: Some(first * 2u32.saturating_pow(self.round.min(16))),
            global: self.round % 2 == 1,
            seed: self.round / 2,
        })
    }

    /// The level says too little, and so does every level that says less.
    pub fn refuted(&mut self, attempt: &Attempt, bad: &Bad) {
        let wrap = matches!(bad, Bad::Wrap { .. });
        let gone = |(level, modular): &(Level, bool)| {
            level.within(&attempt.level) && (*modular == attempt.modular || !wrap && *modular)
        };
        self.remove(gone);
    }

    /// An operation does wrap around: only attempts that take that into account are left.
    pub fn wraps(&mut self) {
        self.remove(|(_, modular)| !modular);
    }

    pub fn drop(&mut self, attempt: &Attempt) {
        self.remove(|(level, modular)| {
            *modular == attempt.modular && *level == attempt.level
        });
    }

    fn remove(&mut self, gone: impl Fn(&(Level, bool)) -> bool) {
        let before = self.open[..self.next.min(self.open.len())].iter().filter(|o| gone(o)).count();
        self.open.retain(|open| !gone(open));
        self.next -= before;
    }
}
